import type { Queue } from 'bullmq'
import { mongo } from 'mongoose'
import type { Intent } from '../../src/intents/intent.ts'
import { enqueueWalletOutcome, queryDueOrders } from '../../src/intents/query-wallets.ts'
import { newId } from '../../src/platform/ids.ts'
import { createLog, type Log } from '../../src/platform/log.ts'
import { openWallets } from '../../src/wallets/wallet.ts'
import { walletOutcomeWorker } from '../../workers/wallet-outcome.ts'
import { excuse } from '../invariants/expect-invariants.ts'
import { createIntent } from '../support/actions.ts'
import { createGate } from '../support/gate.ts'
import { beginOwnRefund, newRefund, outboxEventsOf, pay, refund, storedIntent } from '../support/pay.ts'
import { deleteAllKeys } from '../support/redis-keys.ts'
import { type ScriptedWallet, scriptedWallet } from '../support/scripted-wallet.ts'
import type { Service } from '../support/service.ts'
import { expectIntact, withSecondProcess, withServiceAndMerchant } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { withQueues } from './set-up.ts'

describe('A payment or refund with an unknown outcome', () => {
  let wallet: ScriptedWallet
  let queue: Queue
  const errors: { event: string; fields: object }[] = []
  const recordingLog = {
    ...createLog('silent', 'test', null),
    error: (fields: object, event: string) => void errors.push({ event, fields }),
  } as unknown as Log
  const { service, merchant } = withServiceAndMerchant({}, recordingLog)
  const beside = withSecondProcess(service)
  const queues = withQueues('describe')
  before(() => void (queue = queues.open(service, 'wallet-outcome')))
  beforeEach(() => void (wallet = scriptedWallet(service, beside)))
  afterEach(async () => {
    service.clock.freeze(null)
    await expectIntact(service.deps)
    // Keeps this test's intents and jobs out of the next one.
    excuse((await service.deps.Intent.find().lean<Intent[]>()).map(({ referenceNumber }) => referenceNumber))
    await service.deps.Intent.deleteMany({})
    await deleteAllKeys(service.deps.config.redisUrl, service.deps.config.queuePrefix)
  })
  async function unknownPayment(): Promise<{ intent: Intent; key: string }> {
    const { referenceNumber } = await createIntent(service, merchant)
    const key = newId()
    expect(await pay(service, referenceNumber, { paymentId: key })).to.deep.equal({ state: 'waiting' })
    return { intent: await storedIntent(service, referenceNumber), key }
  }
  async function unknownRefunds(amounts: number[]) {
    const { referenceNumber } = await createIntent(service, merchant)
    wallet.setOutcome(() => ({ outcome: 'done' }))
    await pay(service, referenceNumber)
    const intent = await storedIntent(service, referenceNumber)
    excuse([referenceNumber], 'refunds bounded')
    const refunds = amounts.map((amount) => newRefund(service.deps, amount))
    const guard = { refundsCommitted: { $lte: 20_000 } }
    for (const each of refunds) await beginOwnRefund(service.deps, intent, guard, each)
    return { intent: await storedIntent(service, referenceNumber), keys: refunds.map(({ id }) => id) }
  }

  const work = (
    { _id: intentId }: Pick<Intent, '_id'>,
    key: string,
    { deps }: { deps: Service['deps'] } = service,
  ) => walletOutcomeWorker.run(deps, { intentId }, { jobId: key, name: 'wallet-outcome' })
  const query = async (...job: Parameters<typeof work>) => (await work(...job)).againAt
  const secondsTo = (at: Date) => (at.getTime() - service.clock.now().getTime()) / 1000

  it('is queried only when due, at growing intervals of at most a minute', async () => {
    service.clock.freeze(new Date('2031-01-01T00:00:00Z'))
    const { intent, key } = await unknownPayment()
    expect(await query(intent, key)).to.deep.equal(intent.hold?.queryAt)
    expect(wallet.queries).to.have.length(0)
    const waits: number[] = [secondsTo(intent.hold?.queryAt ?? expect.fail())]
    for (let count = 0; count < 26; count += 1) {
      service.clock.advance((waits.at(-1) ?? 0) * 1000)
      const againAt = (await query(intent, key)) ?? expect.fail('it completes')
      waits.push(secondsTo(againAt))
      expect((await storedIntent(service, intent.referenceNumber)).hold?.queryAt).to.deep.equal(againAt)
    }
    expect(waits.slice(0, 6)).to.deep.equal([1, 1, 1, 1, 1, 1.25])
    expect(waits).to.deep.equal(waits.toSorted((a, b) => a - b))
    expect(waits.at(-1)).to.equal(60)
    expect(wallet.queries).to.have.length(26)
    expect(wallet.queries[0]).to.deep.equal({
      kind: 'payment',
      businessId: merchant.businessId,
      key,
      amount: 50_000,
      fee: 500,
      validUntil: intent.hold?.validUntil,
      requestId: null,
    })
    service.clock.advance(60_000)
    wallet.setStatus({ outcome: 'done' })
    for (const _again of [1, 2]) expect(await query(intent, key)).to.equal(null)
    const after = await storedIntent(service, intent.referenceNumber)
    expect(after).to.deep.include({ status: 'PAID', hold: null })
    expect(after.payment).to.deep.include({ amountPaid: 50_000, key, wallet: 'sandbox' })
    expect(outboxEventsOf(after)).to.deep.equal(['payment.created', 'payment.confirmed'])
    expect([wallet.orders, wallet.queries.length]).to.deep.equal([[key], 27])
  })

  it('is queried once at a time, and only while its business has a free query slot', async () => {
    const { intent, key } = await unknownPayment()
    const neighbour = await service.merchant()
    const { referenceNumber } = await createIntent(service, neighbour)
    await pay(service, referenceNumber)
    const take = () => service.deps.capacity.takeNow([merchant.businessId], { walletQueries: 1 })
    const taken = []
    for (let slot = take(); slot !== null; slot = take()) taken.push(slot)
    expect(taken).to.have.length(25)
    for (const { clock } of [service, beside]) clock.advance(20_000)
    const { againAt, log } = await work(intent, key)
    expect([log.outcome, againAt]).to.deep.equal(['no-slot', log.nextAt])
    const gate = createGate()
    const queried: string[] = []
    wallet.status = async ({ businessId }) => {
      queried.push(businessId)
      await gate.passed
      return { outcome: 'done' }
    }
    for (const _again of [1, 2]) expect(await queryDueOrders(service.deps)).to.equal(2)
    for (const slot of taken) slot.free()
    await queryDueOrders(service.deps)
    await waitFor('both queries', () => queried.length === 2)
    expect(queried).to.deep.equal([neighbour.businessId, merchant.businessId])
    gate.open()
    await service.deps.backgroundWork.ended()
    for (const each of [referenceNumber, intent.referenceNumber])
      expect((await storedIntent(service, each)).status).to.equal('PAID')
    expect(service.deps.walletQueries).to.have.property('size', 0)
  })

  it('is settled only once even if two workers query the wallet in parallel', async () => {
    const outcomes = [
      { outcome: 'done' },
      { outcome: 'declined', reason: 'insufficient_funds' },
      { outcome: 'failed', reason: 'technical_error' },
      { outcome: 'not-executed' },
    ] as const
    const ends = ['payment.confirmed', 'payment.failed', 'payment.failed', null]
    for (const [index, outcome] of outcomes.entries()) {
      const { intent, key } = await unknownPayment()
      service.clock.advance(2000)
      beside.clock.advance(2000)
      wallet.setStatus(outcome)
      const steps = [service, beside, service, beside].map((each) => query(intent, key, each))
      expect(await Promise.all(steps)).to.deep.equal([null, null, null, null])
      const after = await storedIntent(service, intent.referenceNumber)
      expect(outboxEventsOf(after), outcome.outcome).to.deep.equal(
        ['payment.created', ends[index]].filter(Boolean),
      )
      expect(after.attempts.map(({ id, outcome: ended }) => `${id} ${ended}`)).to.deep.equal([
        `${key} ${outcome.outcome}`,
      ])
    }
  })

  it("doesn't affect the next payment if its own query gets a late response", async () => {
    service.clock.freeze(service.clock.now())
    const { intent, key } = await unknownPayment()
    const { referenceNumber } = intent
    const queryAt = async () => (await storedIntent(service, referenceNumber)).hold?.queryAt
    service.clock.advance(60_000)
    const { status } = wallet
    let next: Date | undefined
    wallet.status = async () => {
      wallet.status = async () => ({ outcome: 'not-executed' })
      expect(await query(intent, key)).to.equal(null)
      expect(await pay(service, referenceNumber)).to.deep.equal({ state: 'waiting' })
      next = await queryAt()
      return status({} as never)
    }
    await query(intent, key)
    expect(await queryAt()).to.deep.equal(next ?? expect.fail('there is no next payment'))
  })

  it('is queried as soon as it is due, even without a job', async () => {
    service.clock.freeze(new Date('2031-01-03T00:00:00Z'))
    const { intent } = await unknownPayment()
    const { intent: paid, keys } = await unknownRefunds([10_000, 20_000])
    const [, later = ''] = keys
    await service.deps.Intent.updateOne(
      { _id: paid._id, 'refunds.id': later },
      { $set: { 'refunds.$.queryAt': new Date('2031-01-03T00:10:00Z') } },
    )
    await deleteAllKeys(service.deps.config.redisUrl, service.deps.config.queuePrefix)
    wallet.setStatus({ outcome: 'done' })
    const poll = async () => {
      const found = await queryDueOrders(service.deps)
      await service.deps.backgroundWork.ended()
      return found
    }
    expect(await poll()).to.equal(0)
    service.clock.advance(20_000)
    expect(await poll()).to.equal(2)
    expect(await poll()).to.equal(0)
    expect((await storedIntent(service, intent.referenceNumber)).status).to.equal('PAID')
    const { refunds } = await storedIntent(service, paid.referenceNumber)
    expect(refunds.map(({ status }) => status)).to.deep.equal(['SUCCEEDED', 'PENDING'])
    service.clock.advance(600_000)
    expect(await poll()).to.equal(1)
    expect((await storedIntent(service, paid.referenceNumber)).status).to.equal('REFUNDED')
  })

  it('is queried without waiting for an older query about the same intent', async () => {
    service.clock.freeze(new Date('2031-01-04T00:00:00Z'))
    const { intent, keys } = await unknownRefunds([10_000, 20_000])
    const [older = '', newer = ''] = keys
    const inSeconds = (seconds: number) => new Date(service.clock.now().getTime() + seconds * 1000)
    enqueueWalletOutcome(service.deps, intent, older, inSeconds(60))
    enqueueWalletOutcome(service.deps, intent, newer, inSeconds(1))
    const delays = async () => (await queue.getJobs(['delayed'])).map(({ id, delay }) => [id, delay])
    await waitFor('both jobs', async () => (await delays()).length === 2)
    expect(await delays()).to.have.deep.members([
      [older, 60_000],
      [newer, 1000],
    ])
  })

  it('is no longer queried once settled', async () => {
    const { intent, key } = await unknownPayment()
    expect(await query({ _id: newId() }, key)).to.equal(null)
    expect(await query(intent, newId())).to.equal(null)
    const { intent: paid } = await unknownRefunds([])
    expect(await query(paid, paid.payment?.key ?? '')).to.equal(null)
    expect(wallet.queries).to.have.length(0)
  })

  it("stays open while its wallet isn't configured", async () => {
    service.clock.freeze(new Date('2031-01-05T00:00:00Z'))
    const { intent, key } = await unknownPayment()
    service.deps.wallets = openWallets(null, null)
    service.clock.advance(3_600_000)
    const { againAt, log, isWarning } = await work(intent, key)
    expect(againAt && secondsTo(againAt)).to.equal(60)
    const { referenceNumber } = intent
    const about = { intentId: intent._id, referenceNumber, businessId: merchant.businessId, key }
    expect(log).to.deep.include({ ...about, outcome: 'unknown', why: 'not configured' })
    expect(isWarning).to.equal(true)
    expect((await storedIntent(service, intent.referenceNumber)).hold?.id).to.equal(key)
    scriptedWallet(service).setStatus({ outcome: 'not-executed' })
    service.clock.advance(60_000)
    expect(await query(intent, key)).to.equal(null)
    const after = await storedIntent(service, intent.referenceNumber)
    expect([after.status, after.hold]).to.deep.equal(['PENDING', null])
    expect(await pay(service, intent.referenceNumber, { paymentId: key })).to.deep.equal({
      state: 'not-begun',
    })
  })

  it('is logged as an error if the wallet takes the money after reporting not-executed', async () => {
    const { intent, key } = await unknownPayment()
    const gate = createGate()
    wallet.setOutcome(() => gate.passed.then(() => ({ outcome: 'done' })))
    wallet.setStatus({ outcome: 'not-executed' })
    service.clock.advance(2000)
    await query(intent, key)
    const late = newId()
    const paying = pay(service, intent.referenceNumber, { paymentId: late })
    await waitFor('the order', () => wallet.orders.includes(late))
    service.clock.advance(20_000)
    expect(await query(intent, late)).to.equal(null)
    gate.open()
    expect(await paying).to.deep.equal({ state: 'waiting' })
    const { referenceNumber } = intent
    expect(errors.splice(0)).to.deep.equal([
      { event: 'payment.astray', fields: { referenceNumber, key: late, wallet: 'sandbox' } },
    ])
    expect(await storedIntent(service, referenceNumber)).to.deep.include({ status: 'PENDING', payment: null })
  })

  it('is logged as an error if the wallet refunds the money after reporting not-executed', async () => {
    const { intent } = await unknownRefunds([])
    const { referenceNumber } = intent
    const gate = createGate()
    wallet.setOutcome(() => gate.passed.then(() => ({ outcome: 'done' })))
    wallet.setStatus({ outcome: 'not-executed' })
    const refunding = refund(service, merchant, referenceNumber, 10_000)
    await waitFor('the order', () => wallet.orders.length === 2)
    const key = wallet.orders[1] ?? ''
    service.clock.advance(20_000)
    expect(await query(intent, key)).to.equal(null)
    gate.open()
    const { status, body } = await refunding
    expect([status, body.error.code]).to.deep.equal([402, 'REFUND_FAILED'])
    expect(errors.splice(0)).to.deep.equal([
      { event: 'refund.astray', fields: { referenceNumber, refundId: key } },
    ])
    const paidWithoutRefunds = { status: 'PAID', refundsCommitted: 0 }
    expect(await storedIntent(service, referenceNumber)).to.deep.include(paidWithoutRefunds)
  })

  it('stays open after an exception', async () => {
    const faults = [new TypeError('x is not a function'), new mongo.MongoNetworkError('gone')]
    const [bug] = faults
    for (const fault of faults) {
      wallet.setOutcome(() => Promise.reject(fault))
      const { intent, key } = await unknownPayment()
      wallet.setStatusError(fault)
      service.clock.advance(2000)
      expect(await query(intent, key)).to.be.instanceOf(Date)
    }
    const broke = { event: 'wallet.exception', fields: { err: bug, wallet: 'sandbox' } }
    expect(errors.splice(0)).to.deep.equal([broke, broke])
  })

  it('is logged as an error if the wallet throws after the timeout', async () => {
    const { walletTimeoutMs } = service.deps.config
    // The service adds a second, so the timeout is 100 ms.
    service.deps.config.walletTimeoutMs = -900
    const gate = createGate()
    const bug = new TypeError('x is not a function')
    wallet.setOutcome(() => gate.passed.then(() => Promise.reject(bug)))
    await unknownPayment()
    service.deps.config.walletTimeoutMs = walletTimeoutMs
    expect(errors).to.deep.equal([])
    gate.open()
    await waitFor('the line', () => errors.length > 0)
    expect(errors.splice(0)).to.deep.equal([
      { event: 'wallet.exception', fields: { err: bug, wallet: 'sandbox' } },
    ])
  })
})
