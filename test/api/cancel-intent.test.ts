import { breaks } from '../invariants/expect-invariants.ts'
import { createIntent, readIntent } from '../support/actions.ts'
import { createGate } from '../support/gate.ts'
import { simulate, storedIntent } from '../support/pay.ts'
import { intents, withServiceAndMerchant } from '../support/service.ts'
import { expectRefused } from './refused.ts'

describe('POST /dev/intents/{referenceNumber}/cancel', () => {
  const { service, merchant } = withServiceAndMerchant()
  const create = () => createIntent(service, merchant, { amount: 50_000, metadata: { a: 'b' } })
  const cancel = (reference: string) =>
    service.http.post(`${intents}/${reference}/cancel`).set(merchant.write())
  const events = async (reference: string) => (await storedIntent(service, reference)).outbox
  function holdReads(count: number) {
    const [{ batchers }, allRead, gate] = [service.deps, createGate(), createGate()]
    const { findIntentToChange } = batchers
    let reads = 0
    batchers.findIntentToChange = async (...args) => {
      const intent = await findIntentToChange(...args)
      reads += 1
      if (reads === count) {
        Object.assign(batchers, { findIntentToChange })
        allRead.open()
      }
      await gate.passed
      return intent
    }
    return { allRead: allRead.passed, go: gate.open }
  }

  it('returns 200 and the same intent that GET returns, now CANCELLED and without a code', async () => {
    const made = await create()
    service.clock.advance(1000)
    const { status, body } = await cancel(made.referenceNumber)
    expect(status).to.equal(200)
    expect(body.data).to.deep.include({
      status: 'CANCELLED',
      cancellationReason: 'requested_by_merchant',
      code: null,
      codeExpiresAt: null,
      codeUrl: null,
      amount: 50_000,
      metadata: { a: 'b' },
      payment: null,
      createdAt: made.createdAt,
      expiresAt: made.expiresAt,
    })
    expect(Date.parse(body.data.updatedAt)).to.be.greaterThan(Date.parse(made.createdAt))
    expect(await readIntent(service, merchant, made.referenceNumber)).to.deep.equal(body.data)
  })

  it('needs no request body and ignores any body that is sent', async () => {
    for (const body of ['', '{', '[1]', '{"status":"PAID"}', 'x'.repeat(600_000)]) {
      const { referenceNumber } = await create()
      const response = await cancel(referenceNumber).set('Content-Type', 'text/plain').send(body)
      expect(response.body.data?.status, body.slice(0, 20)).to.equal('CANCELLED')
    }
  })

  it('returns 400 INTENT_CANCEL_INVALID_STATUS for an intent in any status but PENDING', async () => {
    for (const status of ['PAID', 'REFUNDED', 'FAILED', 'CANCELLED'] as const) {
      const { referenceNumber } = await create()
      if (status === 'CANCELLED') await cancel(referenceNumber).expect(200)
      else {
        breaks(service, 'intent status', referenceNumber)
        await service.deps.Intent.updateOne({ referenceNumber }, { $set: { status } })
      }
      const before = await events(referenceNumber)
      await expectRefused(cancel(referenceNumber), 400, 'INTENT_CANCEL_INVALID_STATUS')
      expect(await events(referenceNumber)).to.deep.equal(before)
    }
  })

  it('lets one of several concurrent requests cancel the intent and refuses the others', async () => {
    for (const count of [2, 3, 4]) {
      const { referenceNumber } = await create()
      const { allRead, go } = holdReads(count)
      const requests = Promise.all(Array.from({ length: count }, () => cancel(referenceNumber)))
      await allRead
      go()
      const codes = (await requests).map(({ status, body }) => body.error?.code ?? status)
      const lost = Array.from({ length: count - 1 }, () => 'INTENT_CANCEL_CONFLICT')
      expect(codes).to.have.members([200, ...lost])
      const names = (await events(referenceNumber)).map(({ event }) => event)
      expect(names).to.deep.equal(['payment.created', 'payment.cancelled'])
    }
  })

  it('returns what GET returns, even if a payment fails while the request runs', async () => {
    const { referenceNumber } = await create()
    const { allRead, go } = holdReads(1)
    const cancelling = cancel(referenceNumber).then((response) => response)
    await allRead
    const failed = await simulate(service, merchant, referenceNumber, { outcome: 'insufficient_funds' })
    expect(failed.status).to.equal(402)
    go()
    const { status, body } = await cancelling
    expect(status).to.equal(200)
    expect(body.data).to.deep.include({
      status: 'CANCELLED',
      failure: { code: 'insufficient_funds', retryable: false },
    })
    expect(await readIntent(service, merchant, referenceNumber)).to.deep.equal(body.data)
  })
})
