import { simulatePayment } from '../../src/intents/payments/simulate.ts'
import { createIntent, outboxData, readIntent } from '../support/actions.ts'
import { callerOf } from '../support/caller.ts'
import { intents, loseResponses, withServiceAndMerchant } from '../support/service.ts'
import { newRequest } from '../support/write-request.ts'
import { expectRefused } from './refused.ts'

const day = 24 * 3_600_000

describe('POST /dev/intents/{referenceNumber}/simulate-payment', () => {
  const { service, merchant } = withServiceAndMerchant()
  afterEach(() => service.clock.freeze(null))
  const create = async (body: object = { amount: 50_000 }) =>
    (await createIntent(service, merchant, body)).referenceNumber
  const simulate = (reference: string, body: string | object = {}, key?: string) =>
    service.http
      .post(`${intents}/${reference}/simulate-payment`)
      .set(merchant.write(key))
      .type('json')
      .send(body)
  const stored = (referenceNumber: string) => service.deps.Intent.findOne({ referenceNumber }).orFail().lean()
  const events = async (reference: string) =>
    (await outboxData(service, reference)).map(({ event, data }) => ({ event, ...data }))

  it('returns 200 with the intent as GET returns it: PAID and without a code', async () => {
    service.clock.freeze(new Date('2026-03-01T12:00:00.000Z'))
    const reference = await create()
    service.clock.advance(1000)
    const { status, body } = await simulate(reference)
    expect(status, JSON.stringify(body)).to.equal(200)
    const commission = { providerTtc: 1000, payerTtc: 500, tof: 210, tte: 30, totalRevenue: 1260 }
    expect(body.data).to.deep.include({
      status: 'PAID',
      amount: 50_000,
      code: null,
      codeExpiresAt: null,
      codeUrl: null,
      payment: { amountPaid: 50_000, paidAt: '2026-03-01T12:00:01.000Z', method: 'WALLET', commission },
      refunds: [],
      totalAmountRefunded: 0,
      updatedAt: '2026-03-01T12:00:01.000Z',
    })
    expect(body.data).to.not.have.any.keys('failure', 'cancellationReason')
    expect(await readIntent(service, merchant, reference)).to.deep.equal(body.data)
  })

  it('stores only the masked phone number of the payer', async () => {
    const reference = await create({ amount: 10_000 })
    await simulate(reference, { payerPhone: '+222 36 12 34 58' })
    const { attempts, ...intent } = await stored(reference)
    expect(attempts[0]).to.include({ outcome: 'done', amount: 10_000, payerPhone: '36 ** ** 58' })
    expect(JSON.stringify({ attempts, ...intent })).to.not.include('36123458')
  })

  it('needs no request body and pays from the demo wallet by default', async () => {
    const reference = await create()
    await service.http.post(`${intents}/${reference}/simulate-payment`).set(merchant.write()).expect(200)
    expect((await events(reference)).at(-1)).to.include({ payer_phone: '22 ** ** 01' })
  })

  it('pays an OPEN intent with the given amount, or else the suggested amount, or else 100.00', async () => {
    const amountPaid = async (intent: object, body: object) => {
      const reference = await create({ amountType: 'OPEN', ...intent })
      const response = await simulate(reference, body).expect(200)
      expect(response.body.data.amount).to.equal(null)
      const { amountPaid: paid } = response.body.data.payment
      expect((await events(reference)).map(({ amount }) => amount)).to.deep.equal([null, paid])
      return paid
    }
    expect(await amountPaid({ amount: 700 }, { amount: 1 })).to.equal(1)
    expect(await amountPaid({ amount: 700 }, {})).to.equal(700)
    expect(await amountPaid({}, { amount: 1_000_000_000 })).to.equal(1_000_000_000)
    expect(await amountPaid({}, {})).to.equal(10_000)
  })

  it('returns 400 VALIDATION_ERROR if the given amount differs from the amount of a FIXED intent', async () => {
    const reference = await create({ amount: 500 })
    await expectRefused(simulate(reference, { amount: 501 }), 400, 'VALIDATION_ERROR', { param: 'amount' })
    await simulate(reference, { amount: 500 }).expect(200)
  })

  describe('with a simulated failure', () => {
    const declined = { status: 'PENDING', retryable: true, code: 'insufficient_funds' }
    const failed = { status: 'FAILED', retryable: false, code: 'technical_error' }
    async function expectFailed(reference: string, body: object, details: object) {
      const key = crypto.randomUUID()
      const first = await simulate(reference, body, key)
      const message =
        'The payment failed. If the intent is still PENDING, the customer can pay again. If it is FAILED, create another one.'
      const requestId = first.headers['x-request-id']
      const error = { code: 'PAYMENT_FAILED', message, statusCode: 402, requestId, details }
      expect([first.status, first.body.error]).to.deep.equal([402, error])
      const again = await simulate(reference, body, key)
      expect([again.text, again.headers['idempotent-replayed']]).to.deep.equal([first.text, 'true'])
    }

    it('keeps the intent PENDING after insufficient_funds and allows a new payment', async () => {
      const reference = await create()
      await expectFailed(reference, { outcome: 'insufficient_funds' }, declined)
      const read = await readIntent(service, merchant, reference)
      const failure = { code: 'insufficient_funds', retryable: true }
      expect(read).to.deep.include({ status: 'PENDING', payment: null, failure })
      expect(read.code).to.match(/^\d{6}$/)
      const [, event] = await events(reference)
      expect(event).to.deep.include({
        event: 'payment.failed',
        status: 'PENDING',
        paid_at: null,
        payer_phone: null,
        failure,
        commission: { provider_ttc: 0, payer_ttc: 0, tof: 0, tte: 0, total_revenue: 0 },
      })
      await expectFailed(reference, { outcome: 'insufficient_funds' }, declined)
      expect((await simulate(reference).expect(200)).body.data).to.not.have.property('failure')
      const expectedEvents = ['payment.created', 'payment.failed', 'payment.failed', 'payment.confirmed']
      expect((await events(reference)).map((each) => each.event)).to.deep.equal(expectedEvents)
    })

    it('marks the intent FAILED after a permanent failure and allows no new payment', async () => {
      const reference = await create()
      await expectFailed(reference, { outcome: 'technical_error' }, failed)
      const failure = { code: 'technical_error', retryable: false }
      const read = await readIntent(service, merchant, reference)
      expect(read).to.deep.include({ status: 'FAILED', payment: null, code: null, failure })
      const [, event] = await events(reference)
      expect(event).to.deep.include({ event: 'payment.failed', status: 'FAILED', failure })
      await expectRefused(simulate(reference), 400, 'INTENT_NOT_PENDING')
    })

    it('fails for the magic amount 99901, whatever the amount type and the requested outcome', async () => {
      await expectFailed(await create({ amount: 99_901 }), {}, failed)
      await expectFailed(await create({ amount: 99_901 }), { outcome: 'insufficient_funds' }, failed)
      await expectFailed(await create({ amountType: 'OPEN' }), { amount: 99_901 }, failed)
      await expectFailed(await create({ amountType: 'OPEN', amount: 99_901 }), {}, failed)
      await simulate(await create({ amountType: 'OPEN', amount: 99_901 }), { amount: 99_902 }).expect(200)
    })

    it('returns the same failure to a retry after a crash, even if the intent has been paid since', async () => {
      const reference = await create()
      const key = crypto.randomUUID()
      const first = await simulate(reference, { outcome: 'insufficient_funds' }, key).expect(402)
      await simulate(reference).expect(200)
      await loseResponses(service)
      const again = await simulate(reference, { outcome: 'insufficient_funds' }, key).expect(402)
      expect(again.body.error.details).to.deep.equal(first.body.error.details)
      expect(await events(reference)).to.have.lengthOf(3)
    })
  })

  it('pays an intent that had not expired when the payment began, even if the clock jumps meanwhile', async () => {
    const reference = await create()
    const caller = callerOf(merchant)
    const input = { amount: null, outcome: 'success', payerPhone: '22000000' } as const
    const request = newRequest(service.deps)
    let days = 0
    const leaping = { ...service.deps, now: () => new Date(service.clock.now().getTime() + day * days++) }
    await simulatePayment(leaping, caller, reference, input, request)
    const { payment, expiresAt, updatedAt, attempts } = await stored(reference)
    expect(payment?.paidAt).to.be.below(expiresAt)
    expect([updatedAt, ...attempts.map(({ at }) => at)]).to.deep.equal([payment?.paidAt, payment?.paidAt])
  })

  describe('in error cases', () => {
    it('returns 400 for an invalid field and names the field', async () => {
      const reference = await create()
      const wrong: [code: string, param: string, ...values: string[]][] = [
        ['VALIDATION_ERROR', 'amount', '"500"', 'null', '1.5', '[50000]'],
        ['AMOUNT_OUT_OF_RANGE', 'amount', '0', '-50000', '1000000001', '1e400'],
        ['VALIDATION_ERROR', 'payerPhone', '22000001', '""', '"2200000"', '"22000001x"'],
        ['VALIDATION_ERROR', 'outcome', '"paid"', '["success"]'],
      ]
      for (const [code, param, ...values] of wrong)
        for (const value of values)
          await expectRefused(simulate(reference, `{"${param}":${value}}`), 400, code, { param })
      const both = simulate(reference, '{"outcome":"paid","amount":"x"}')
      await expectRefused(both, 400, 'VALIDATION_ERROR', { param: 'amount' })
      for (const text of ['[{}]', 'null', '"success"'])
        await expectRefused(simulate(reference, text), 400, 'VALIDATION_ERROR', { param: 'body' })
      expect(await readIntent(service, merchant, reference)).to.include({ status: 'PENDING' })
    })

    it('returns 400 INTENT_NOT_PENDING for an intent in any other status and changes nothing', async () => {
      const cancelled = await create()
      await service.http.post(`${intents}/${cancelled}/cancel`).set(merchant.write()).expect(200)
      const paid = await create()
      await simulate(paid).expect(200)
      const expired = await create()
      service.clock.advance(day)
      for (const reference of [cancelled, paid, expired]) {
        const before = await stored(reference)
        await expectRefused(simulate(reference), 400, 'INTENT_NOT_PENDING')
        expect(await stored(reference)).to.deep.equal(before)
      }
    })
  })
})
