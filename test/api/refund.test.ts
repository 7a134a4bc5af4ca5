import { mongo } from 'mongoose'
import type { ThirdPartyStep } from '../../src/idempotency/request.ts'
import { payIntent } from '../../src/intents/payments/pay.ts'
import { queryWallet } from '../../src/intents/query-wallets.ts'
import { refundIntent } from '../../src/intents/refunds/refund.ts'
import { noCommission } from '../../src/wallets/commission.ts'
import type { OrderStatusQuery, RefundOrder, Wallet, WalletOutcome } from '../../src/wallets/wallet.ts'
import { breaks } from '../invariants/expect-invariants.ts'
import { createIntent, outboxData, post, readIntent } from '../support/actions.ts'
import { callerOf } from '../support/caller.ts'
import { createGate } from '../support/gate.ts'
import { pay, simulate, withoutDeadline } from '../support/pay.ts'
import { intents, loseResponses, withAnotherKey, withServiceAndMerchant } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { newRequest } from '../support/write-request.ts'
import { expectRefused } from './refused.ts'

const unknown: WalletOutcome = { outcome: 'unknown', why: 'timeout' }

describe('POST /dev/intents/{referenceNumber}/refund', () => {
  const { service, merchant } = withServiceAndMerchant()
  let restore: () => unknown = () => undefined
  afterEach(() => {
    restore()
    service.clock.freeze(null)
  })

  const create = async (amount: number) =>
    (await createIntent(service, merchant, { amount, metadata: { order: '7' } })).referenceNumber
  async function paid(amount: number): Promise<string> {
    const reference = await create(amount)
    expect((await simulate(service, merchant, reference)).status).to.equal(200)
    return reference
  }
  const refund = (reference: string, body: string | object = {}, key?: string) =>
    service.http.post(`${intents}/${reference}/refund`).set(merchant.write(key)).type('json').send(body)
  const read = (reference: string) => readIntent(service, merchant, reference)
  const stored = (referenceNumber: string) => service.deps.Intent.findOne({ referenceNumber }).orFail().lean()
  const refundEvents = async (reference: string) =>
    (await outboxData(service, reference))
      .filter(({ event }) => event === 'payment.refunded')
      .map(({ data }) => data)

  function replaceWallets(
    responses: Record<'refund' | 'status', () => Promise<WalletOutcome>>,
    refunds = true,
  ) {
    const orders: RefundOrder[] = []
    const queries: OrderStatusQuery[] = []
    const wallet: Wallet = {
      name: 'simulation',
      refunds,
      authorise: async () => ({ outcome: 'done' }),
      refund: (order) => (orders.push(order), responses.refund()),
      status: (query) => (queries.push(query), responses.status()),
    }
    const { named } = service.deps.wallets
    service.deps.wallets.named = () => wallet
    restore = () => void (service.deps.wallets.named = named)
    return { orders, queries }
  }
  const neverQueried = () => Promise.reject(new Error('the wallet must not be queried yet'))

  describe('for a paid intent', () => {
    it('returns 200 with a refund of the full amount and the intent, which is now REFUNDED', async () => {
      const reference = await paid(10_000)
      service.clock.freeze(new Date(Date.now() + 1000))
      const { status, body } = await refund(reference, { reason: 'Sold out' })
      expect(status, JSON.stringify(body)).to.equal(200)
      const { refund: record, ...intent } = body.data
      expect(record).to.deep.equal({
        id: record.id,
        amount: 10_000,
        returnedFees: { providerTtc: 200, payerTtc: 100 },
        currency: 'MRU',
        reason: 'Sold out',
        status: 'SUCCEEDED',
        createdAt: service.deps.now().toISOString(),
        refundedAt: service.deps.now().toISOString(),
      })
      expect(record.id).to.match(/^RF-[2-9A-HJ-NP-Z]{16}$/)
      const updatedAt = service.deps.now().toISOString()
      expect(intent).to.deep.include({ status: 'REFUNDED', refunds: [record], updatedAt })
      expect(intent.payment.amountPaid).to.equal(10_000)
      expect(await read(reference)).to.deep.equal(intent)
    })

    it('grants partial refunds up to the full amount and refuses any further refund', async () => {
      const reference = await paid(100)
      await refund(reference, { amount: 30 }).expect(200)
      const second = await refund(reference, { amount: 50, expectedRefundable: 70 }).expect(200)
      expect(second.body.data).to.include({ status: 'REFUNDED', totalAmountRefunded: 80 })
      const last = await refund(reference).expect(200)
      expect(last.body.data.refund.amount).to.equal(20)
      expect(last.body.data.totalAmountRefunded).to.equal(100)
      const details = { refundable: 0 }
      await expectRefused(refund(reference), 400, 'INTENT_REFUND_INVALID_STATUS', { details })
      expect((await refundEvents(reference)).map((each) => each.refund.amount)).to.deep.equal([30, 50, 20])
    })

    it('returns every fee to the centime, even if an earlier refund fails after a later one completed the amount', async () => {
      const reference = await paid(10_000)
      const responses: WalletOutcome[] = [{ outcome: 'unknown', why: 'no response' }]
      const { orders } = replaceWallets({
        refund: async () => responses.shift() ?? { outcome: 'done' },
        status: async () => ({ outcome: 'failed', reason: 'technical_error' }),
      })
      await expectRefused(refund(reference, { amount: 3333 }), 503, 'SERVICE_UNAVAILABLE')
      await refund(reference, { amount: 6667 }).expect(200)
      const { _id, refunds } = await stored(reference)
      service.clock.advance(60_000)
      await queryWallet(service.deps, _id, refunds[0]?.id ?? '')
      await refund(reference, { amount: 1111 }).expect(200)
      await refund(reference).expect(200)
      const after = await stored(reference)
      expect(after.refunds.map(({ amount, returnedFees }) => [amount, returnedFees])).to.deep.equal([
        [6667, { providerTtc: 134, payerTtc: 67 }],
        [1111, { providerTtc: 22, payerTtc: 11 }],
        [2222, { providerTtc: 44, payerTtc: 22 }],
      ])
      const ordered = orders.map(({ amount, fee }) => `${amount} + ${fee}`)
      expect(ordered).to.deep.equal(['3333 + 33', '6667 + 67', '1111 + 11', '2222 + 22'])
      expect(after.feesReturned).to.deep.equal({ providerTtc: 200, payerTtc: 100 })
    })

    it('refunds the amount actually paid on an OPEN intent', async () => {
      const { referenceNumber } = await createIntent(service, merchant, { amountType: 'OPEN', amount: 5 })
      const path = `${intents}/${referenceNumber}/simulate-payment`
      await service.http.post(path).set(merchant.write()).send({ amount: 900 }).expect(200)
      expect((await refund(referenceNumber).expect(200)).body.data.refund.amount).to.equal(900)
    })

    it("returns the amount and the payer's fee to the sandbox wallet in partial refunds", async () => {
      const reference = await create(10_000)
      const balances = async () =>
        (await service.deps.WalletAccount.find().lean()).map(({ balance }) => balance)
      await pay(service, reference)
      const [paidFrom = 0] = await balances()
      expect(paidFrom).to.equal(9_000_000_000_000_000 - 10_100)
      await refund(reference, { amount: 4000 }).expect(200)
      expect(await balances()).to.deep.equal([paidFrom + 4040])
      const { body } = await refund(reference).expect(200)
      expect(body.data).to.include({ status: 'REFUNDED', totalAmountRefunded: 10_000 })
      expect(await balances()).to.deep.equal([paidFrom + 10_100])
    })

    it('refunds a live payment through the wallet that paid it', async () => {
      const live = await withAnotherKey(service, merchant, { mode: 'live' })
      const { referenceNumber } = await createIntent(service, live, { amount: 99_904 })
      const authorise = async () => ({ outcome: 'done' })
      const wallet = { name: 'live:wallet.example', authorise } as unknown as Wallet
      const payer = { phone: '22345678', pin: '1234' }
      const confirmation = { paymentId: 'form-1', ...payer, amount: 99_904, commission: noCommission }
      const intent = await stored(referenceNumber)
      const { state } = await payIntent(service.deps, wallet, intent, confirmation, withoutDeadline)
      expect(state).to.equal('settled')
      const { orders } = replaceWallets({ refund: async () => ({ outcome: 'done' }), status: neverQueried })
      const path = `${intents}/${referenceNumber}/refund`
      await expectRefused(refund(referenceNumber), 403, 'SANDBOX_MISMATCH')
      const { id: key } = (await service.http.post(path).set(live.write()).expect(200)).body.data.refund
      expect(orders).to.have.lengthOf(1)
      expect(orders[0]).to.include({ key, paymentKey: 'form-1', amount: 99_904 })
    })
  })

  describe('in error cases', () => {
    it('returns 400 for an invalid field and names the field', async () => {
      const reference = await paid(100)
      const long = JSON.stringify('é'.repeat(201))
      const invalid = 'VALIDATION_ERROR'
      const wrongAmounts = ['"100"', '99.5', '-1']
      const wrong: [code: string, param: string, ...bodies: string[]][] = [
        [invalid, 'body', '[{}]', 'null', '50'],
        [invalid, 'amount', '{"amount":"50"}', '{"amount":null}', '{"amount":0.5}', '{"amount":{"$gt":0}}'],
        [invalid, 'amount', '{"expectedRefundable":"100","amount":"50"}'],
        ['AMOUNT_OUT_OF_RANGE', 'amount', '{"amount":0}', '{"amount":-1}'],
        [invalid, 'reason', ...['7', long, '"a\\u0000b"', '"\\ud800"'].map((text) => `{"reason":${text}}`)],
        [invalid, 'expectedRefundable', ...wrongAmounts.map((text) => `{"expectedRefundable":${text}}`)],
      ]
      for (const [code, param, ...bodies] of wrong)
        for (const text of bodies) await expectRefused(refund(reference, text), 400, code, { param })
      await expectRefused(refund('PI-NONE', '{"amount":0}'), 400, 'AMOUNT_OUT_OF_RANGE', { param: 'amount' })
      expect(await stored(reference)).to.deep.include({ status: 'PAID', refundsCommitted: 0, refunds: [] })
      const reason = `${'é'.repeat(199)}😀`
      expect((await refund(reference, { reason }).expect(200)).body.data.refund.reason).to.equal(reason)
    })

    it('returns 400 INTENT_REFUND_INVALID_STATUS for an intent that is not paid', async () => {
      const pending = await create(100)
      const cancelled = await create(100)
      await service.http.post(`${intents}/${cancelled}/cancel`).set(merchant.write()).expect(200)
      const failed = await create(99_901)
      await service.http.post(`${intents}/${failed}/simulate-payment`).set(merchant.write()).expect(402)
      for (const reference of [pending, cancelled, failed])
        for (const body of [{}, { amount: 1_000_000, expectedRefundable: 5 }])
          await expectRefused(refund(reference, body), 400, 'INTENT_REFUND_INVALID_STATUS')
    })

    it('checks expectedRefundable before the amount, and returns the actual refundable amount', async () => {
      const reference = await paid(100)
      await refund(reference, { amount: 40 }).expect(200)
      const expected: [body: object, code: string, param: string][] = [
        [{ expectedRefundable: 100 }, 'REFUND_AMOUNT_MISMATCH', 'expectedRefundable'],
        [{ expectedRefundable: 0, amount: 61 }, 'REFUND_AMOUNT_MISMATCH', 'expectedRefundable'],
        [{ expectedRefundable: 60, amount: 61 }, 'AMOUNT_OUT_OF_RANGE', 'amount'],
        [{ amount: Number.MAX_SAFE_INTEGER }, 'AMOUNT_OUT_OF_RANGE', 'amount'],
      ]
      for (const [body, code, param] of expected)
        await expectRefused(refund(reference, body), 400, code, { param, details: { refundable: 60 } })
      expect(await stored(reference)).to.include({ refundsCommitted: 40 })
    })

    it('returns 402 REFUND_FAILED and changes nothing for the magic amount 99904', async () => {
      const [all, part] = [await paid(99_904), await paid(200_000)]
      const before = await Promise.all([stored(all), stored(part)])
      await expectRefused(refund(all), 402, 'REFUND_FAILED')
      await expectRefused(refund(all, { amount: 1 }), 402, 'REFUND_FAILED')
      const first = await refund(part, { amount: 99_904 }, 'magic').expect(402)
      const again = await refund(part, { amount: 99_904 }, 'magic').expect(402)
      expect([again.text, again.headers['idempotent-replayed']]).to.deep.equal([first.text, 'true'])
      expect(await Promise.all([stored(all), stored(part)])).to.deep.equal(before)
      await refund(part, { amount: 99_903 }).expect(200)
    })
  })

  describe('under concurrency', () => {
    const refundAll = (reference: string, bodies: object[]) =>
      Promise.all(
        bodies.map((body) => post(service, merchant, `/intents/${reference}/refund`, JSON.stringify(body))),
      )

    it('grants as many refunds as the payment covers, and rejects the other requests with the refundable amount', async () => {
      for (const [amount, each, times] of [
        [100, 60, 1],
        [95, 10, 9],
      ] as const) {
        const reference = await paid(amount)
        const bodies = Array.from({ length: 10 }, () => ({ amount: each }))
        const responses = await refundAll(reference, bodies)
        expect(responses.filter(({ status }) => status === 200)).to.have.lengthOf(times)
        const refundable = amount - each * times
        for (const { body } of responses.filter(({ status }) => status !== 200))
          expect(body.error).to.deep.include({ code: 'AMOUNT_OUT_OF_RANGE', details: { refundable } })
        expect(await stored(reference)).to.include({ refundsCommitted: each * times })
        expect(await refundEvents(reference)).to.have.lengthOf(times)
      }
    })

    it('refuses an outdated expectedRefundable', async () => {
      const reference = await paid(100)
      const bodies = [{ amount: 10 }, { amount: 20 }, {}]
      const outdated = bodies.map((body) => ({ expectedRefundable: 100, ...body }))
      const responses = await refundAll(reference, outdated)
      expect(responses.map(({ status }) => status)).to.have.members([200, 400, 400])
    })
  })

  describe('if the refund does not succeed immediately', () => {
    it('returns 402 REFUND_FAILED, changes nothing and releases the hold if the wallet rejects the refund', async () => {
      const declined: WalletOutcome = { outcome: 'declined', reason: 'limit_exceeded' }
      for (const outcome of [declined, { outcome: 'not-executed' } as const]) {
        const reference = await paid(100)
        const before = await read(reference)
        replaceWallets({ refund: async () => outcome, status: neverQueried })
        const first = await refund(reference, { amount: 100 }, `no ${reference}`).expect(402)
        expect(first.body.error).to.include({ code: 'REFUND_FAILED' })
        expect(await read(reference)).to.deep.equal(before)
        expect(await refundEvents(reference)).to.deep.equal([])
        restore()
        const again = await refund(reference, { amount: 100 }, `no ${reference}`).expect(402)
        expect(again.text).to.equal(first.text)
        await loseResponses(service)
        await refund(reference, { amount: 100 }, `no ${reference}`).expect(402)
        await refund(reference, { amount: 100 }).expect(200)
      }
    })

    it('returns 402 REFUND_FAILED before any hold if the wallet makes no refunds', async () => {
      const reference = await paid(100)
      const before = await stored(reference)
      const { orders } = replaceWallets({ refund: async () => unknown, status: neverQueried }, false)
      const first = await refund(reference, { amount: 60 }, `none ${reference}`).expect(402)
      expect(first.body.error).to.include({ code: 'REFUND_FAILED' })
      expect(first.body.error.message).to.include('makes no refunds')
      const again = await refund(reference, { amount: 60 }, `none ${reference}`).expect(402)
      expect(again.text).to.equal(first.text)
      await refund(reference, { amount: 101 }).expect(400)
      expect([await stored(reference), orders]).to.deep.equal([before, []])
    })

    it('returns 503 and keeps the refund PENDING until its outcome is known', async () => {
      service.clock.freeze(service.deps.now())
      const reference = await paid(100)
      let status: WalletOutcome = unknown
      const { orders, queries } = replaceWallets({ refund: async () => unknown, status: async () => status })
      const retry = () => refund(reference, { amount: 60 }, `when ${reference}`)
      const first = await retry().expect(503)
      expect(first.body.error).to.include({ code: 'SERVICE_UNAVAILABLE' })
      expect(first.body.error.message).to.include('not known yet')
      expect(Number(first.headers['retry-after'])).to.be.greaterThan(0)
      const shown = await read(reference)
      expect(shown).to.include({ status: 'PAID', totalAmountRefunded: 0 })
      expect(shown.refunds).to.have.lengthOf(1)
      expect(shown.refunds[0]).to.include({ amount: 60, status: 'PENDING', refundedAt: null })
      const details = { refundable: 40 }
      await expectRefused(refund(reference, { amount: 41 }), 400, 'AMOUNT_OUT_OF_RANGE', { details })
      expect(queries).to.have.lengthOf(0)
      service.clock.advance(1500)
      await retry().expect(503)
      expect(queries).to.have.lengthOf(1)
      status = { outcome: 'done' }
      service.clock.advance(1500)
      const done = await retry().expect(200)
      const refundedAt = service.deps.now().toISOString()
      expect(done.body.data.refund).to.deep.equal({ ...shown.refunds[0], status: 'SUCCEEDED', refundedAt })
      expect(done.body.data).to.include({ status: 'REFUNDED', totalAmountRefunded: 60 })
      expect([orders.length, (await refundEvents(reference)).length]).to.deep.equal([1, 1])
      expect((await retry().expect(200)).headers['idempotent-replayed']).to.equal('true')
    })

    it('returns the outcome to a retry if a worker has obtained it in the meantime', async () => {
      for (const [outcome, status, becomes] of [
        ['done', 200, 'REFUNDED'],
        ['not-executed', 402, 'PAID'],
      ] as const) {
        const reference = await paid(100)
        const refused = () => Promise.reject(new Error('reset'))
        replaceWallets({ refund: refused, status: async () => ({ outcome }) })
        const retry = () => refund(reference, {}, `worker ${reference}`)
        await retry().expect(503)
        service.clock.advance(1500)
        const intent = await stored(reference)
        await queryWallet(service.deps, intent._id, intent.refunds[0]?.id ?? '')
        restore()
        const { body } = await retry().expect(status)
        expect(body.data?.refund.amount ?? body.error.code).to.equal(status === 200 ? 100 : 'REFUND_FAILED')
        expect((await read(reference)).status).to.equal(becomes)
        expect((await refund(reference)).status).to.equal(status === 200 ? 400 : 200)
      }
    })

    it('returns 402 to a retry and sends no second order if the wallet never executed the first', async () => {
      const reference = await paid(100)
      const gate = createGate()
      const { orders } = replaceWallets({
        refund: async () => (await gate.passed, { outcome: 'done' }),
        status: async () => ({ outcome: 'not-executed' }),
      })
      const key = `died ${reference}`
      const dying = refund(reference, {}, key).then((response) => response)
      await waitFor('an order', () => orders.length === 1)
      service.clock.advance(service.deps.config.walletTimeoutMs + 6000)
      await expectRefused(refund(reference, {}, key), 402, 'REFUND_FAILED')
      expect(orders).to.have.lengthOf(1)
      expect(await read(reference)).to.deep.include({ status: 'PAID', refunds: [] })
      gate.open()
      const late = await dying
      expect([late.status, late.body.error.code]).to.deep.equal([402, 'REFUND_FAILED'])
    })

    it('returns 503 if MongoDB goes down during the refund, and queries the outcome on a retry', async () => {
      const reference = await paid(100)
      const { updateIntent } = service.deps.batchers
      const gone = () => Promise.reject(new mongo.MongoNetworkError('gone'))
      const { orders } = replaceWallets({
        refund: async () => {
          service.deps.batchers.updateIntent = gone
          return { outcome: 'done' }
        },
        status: async () => ({ outcome: 'done' }),
      })
      const retry = () => refund(reference, {}, `gone ${reference}`)
      const first = await retry()
      service.deps.batchers.updateIntent = updateIntent
      expect([first.status, first.body.error.code]).to.deep.equal([503, 'SERVICE_UNAVAILABLE'])
      expect((await read(reference)).refunds[0]).to.include({ status: 'PENDING' })
      service.clock.advance(service.deps.config.walletTimeoutMs + 6000)
      expect((await retry().expect(200)).body.data.totalAmountRefunded).to.equal(100)
      expect([orders.length, (await refundEvents(reference)).length]).to.deep.equal([1, 1])
    })

    it('returns a retryable error and releases the hold if the wallet is no longer configured', async () => {
      const reference = await paid(100)
      const gone = { $set: { 'payment.wallet': 'live:gone' } }
      await service.deps.Intent.updateOne({ referenceNumber: reference }, gone)
      await expectRefused(refund(reference), 503, 'SERVICE_UNAVAILABLE')
      expect(await stored(reference)).to.deep.include({ refundsCommitted: 0, refunds: [] })
    })
  })

  it("queries the outcome of an earlier order only until the request's deadline", async () => {
    const reference = await paid(100)
    replaceWallets({ refund: async () => unknown, status: async () => ({ outcome: 'done' }) })
    await refund(reference, {}, `slow ${reference}`).expect(503)
    service.clock.advance(1500)
    const [mark] = (await stored(reference)).marks.slice(-1)
    const caller = callerOf(merchant)
    const input = { amount: null, reason: null, expectedRefundable: null }
    const request = newRequest(service.deps, { key: mark?.key ?? '' })
    const { data: step } = (await refundIntent(service.deps, caller, reference, input, request)) as {
      data: ThirdPartyStep
    }
    const expired = new Error('the request is past its deadline')
    expect(await step(() => Promise.reject(expired)).catch((error) => error)).to.equal(expired)
    expect((await stored(reference)).refunds[0]?.status).to.equal('PENDING')
  })

  /** Changes the intent between the request's read and its write. */
  function changeMeanwhile(referenceNumber: string, $set: object): void {
    const { capacity } = service.deps
    const { paceWork } = capacity
    capacity.paceWork = async (...costs) => {
      capacity.paceWork = paceWork
      await service.deps.Intent.updateOne({ referenceNumber }, { $set })
      return paceWork(...costs)
    }
  }

  it('refunds nothing if the clean-up starts removing the intent during the request', async () => {
    const reference = await paid(10_000)
    changeMeanwhile(reference, { cleanedAt: service.deps.now() })
    await expectRefused(refund(reference), 404, 'INTENT_NOT_FOUND')
    expect(await stored(reference)).to.deep.include({ refunds: [], refundsCommitted: 0 })
  })

  for (const [fee, whole, left] of [
    ['providerTtc', 200, { providerTtc: 0, payerTtc: 50 }],
    ['payerTtc', 100, { providerTtc: 100, payerTtc: 0 }],
  ] as const)
    it(`returns no more of a fee than is left if a concurrent refund has returned part of it: ${fee}`, async () => {
      const reference = await paid(10_000)
      breaks(service, 'refunds bounded', reference)
      changeMeanwhile(reference, { refundsCommitted: 1, [`feesReturned.${fee}`]: whole })
      const { body } = await refund(reference, { amount: 5_000 }).expect(200)
      expect(body.data.refund.returnedFees).to.deep.equal(left)
    })

  it('allows at most a thousand refunds per payment', async () => {
    const reference = await paid(5000)
    const { body } = await refund(reference, { amount: 1 }).expect(200)
    const [record] = (await stored(reference)).refunds
    for (const each of ['refunds bounded', 'events once'] as const) breaks(service, each, reference)
    const refunds = Array.from({ length: 999 }, () => record)
    await service.deps.Intent.updateOne({ referenceNumber: reference }, { $set: { refunds } })
    // All three have read that one refund is left.
    const responses = await Promise.all(Array.from({ length: 3 }, () => refund(reference, { amount: 1 })))
    expect(responses.map(({ status }) => status)).to.have.members([200, 400, 400])
    await expectRefused(refund(reference, { amount: 1 }), 400, 'INTENT_REFUND_INVALID_STATUS')
    expect((await stored(reference)).refunds).to.have.lengthOf(1000)
    expect(body.data.refund.amount).to.equal(1)
  })
})
