import { expect } from 'chai'
import { breaks } from '../invariants/expect-invariants.ts'
import { createIntent, outboxData } from '../support/actions.ts'
import { createGate } from '../support/gate.ts'
import { rounds } from '../support/machine.ts'
import { withMerchant, withService } from '../support/service.ts'
import { expectRefused } from './refused.ts'

const intents = '/api/v1/dev/intents'
const day = 24 * 3_600_000

describe('POST /dev/intents/{referenceNumber}/cancel', () => {
  const service = withService()
  const merchant = withMerchant(service)

  const create = () => createIntent(service, merchant, { amount: 50_000, metadata: { a: 'b' } })
  const cancel = (reference: string, idempotencyKey?: string) =>
    service.http.post(`${intents}/${reference}/cancel`).set(merchant.write(idempotencyKey))
  const events = async (referenceNumber: string) =>
    (await service.deps.Intent.findOne({ referenceNumber }).orFail().lean()).outbox

  /** Reads before a change wait until there are this many. */
  function readTogether(count: number): void {
    const [{ batchers }, gate] = [service.deps, createGate()]
    const { findIntentToChange } = batchers
    let arrived = 0
    batchers.findIntentToChange = async (...args) => {
      const intent = await findIntentToChange(...args)
      arrived += 1
      if (arrived === count) gate.open()
      await gate.passed
      return intent
    }
    void gate.passed.then(() => Object.assign(batchers, { findIntentToChange }))
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
    const read = await service.http.get(`${intents}/${made.referenceNumber}`).set(merchant.read())
    expect(read.body.data).to.deep.equal(body.data)
  })

  it('writes the event payment.cancelled together with the cancellation', async () => {
    const { referenceNumber } = await create()
    const { body } = await cancel(referenceNumber)
    const [, event, ...more] = await events(referenceNumber)
    expect(more).to.deep.equal([])
    expect(event).to.include({ event: 'payment.cancelled' })
    expect(event?.createdAt.toISOString()).to.equal(body.data.updatedAt)
    const cancelledData = { reference_number: referenceNumber, status: 'CANCELLED', paid_at: null }
    expect((await outboxData(service, referenceNumber))[1]?.data).to.include(cancelledData)
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

  it('cancels an intent up to the last millisecond before expiresAt, even if no worker has recorded the expiry', async () => {
    service.clock.freeze(new Date())
    const [inTime, late] = [await create(), await create()]
    service.clock.advance(day - 1)
    await cancel(inTime.referenceNumber).expect(200)
    service.clock.advance(1)
    await expectRefused(cancel(late.referenceNumber), 400, 'INTENT_CANCEL_INVALID_STATUS')
    expect(await events(late.referenceNumber)).to.have.lengthOf(1)
    service.clock.freeze(null)
  })

  it('lets one of several concurrent requests cancel the intent and refuses the others', async () => {
    const seen = new Set<string>()
    for (let round = 0; round < rounds(30, 5); round += 1) {
      const { referenceNumber } = await create()
      const count = 2 + (round % 3)
      if (round === 0) readTogether(count)
      const responses = await Promise.all(Array.from({ length: count }, () => cancel(referenceNumber)))
      const won = responses.filter(({ status }) => status === 200)
      const lost = responses.filter(({ status }) => status === 400)
      expect([won.length, lost.length]).to.deep.equal([1, count - 1])
      for (const { body } of lost) {
        expect(body.error.code).to.be.oneOf(['INTENT_CANCEL_INVALID_STATUS', 'INTENT_CANCEL_CONFLICT'])
        seen.add(body.error.code)
      }
      const names = (await events(referenceNumber)).map(({ event }) => event)
      expect(names).to.deep.equal(['payment.created', 'payment.cancelled'])
    }
    expect(seen).to.include('INTENT_CANCEL_CONFLICT')
  })

  it('returns what GET returns, even if a payment fails while the request runs', async () => {
    const { referenceNumber } = await create()
    const [{ batchers }, read, gate] = [service.deps, createGate(), createGate()]
    const { findIntentToChange } = batchers
    batchers.findIntentToChange = async (...args) => {
      Object.assign(batchers, { findIntentToChange })
      const intent = await findIntentToChange(...args)
      read.open()
      await gate.passed
      return intent
    }
    const cancelling = cancel(referenceNumber).then((response) => response)
    await read.passed
    await service.http
      .post(`${intents}/${referenceNumber}/simulate-payment`)
      .set(merchant.write())
      .send({ outcome: 'insufficient_funds' })
      .expect(402)
    gate.open()
    const { status, body } = await cancelling
    expect(status).to.equal(200)
    expect(body.data).to.deep.include({
      status: 'CANCELLED',
      failure: { code: 'insufficient_funds', retryable: false },
    })
    const after = await service.http.get(`${intents}/${referenceNumber}`).set(merchant.read())
    expect(after.body.data).to.deep.equal(body.data)
  })

  it('repeats its response to each retry, even if the response was a refusal', async () => {
    const { referenceNumber } = await create()
    const keys = [crypto.randomUUID(), crypto.randomUUID()]
    const first = await Promise.all(keys.map((key) => cancel(referenceNumber, key)))
    const again = await Promise.all(keys.map((key) => cancel(referenceNumber, key)))
    for (const [index, { status, text }] of again.entries())
      expect([status, text]).to.deep.equal([first[index]?.status, first[index]?.text])
    expect(await events(referenceNumber)).to.have.lengthOf(2)
  })
})
