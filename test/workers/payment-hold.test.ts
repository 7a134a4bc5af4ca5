import { expireDueIntents, expireIntent } from '../../src/intents/expire.ts'
import { type PaymentContext, payIntent } from '../../src/intents/payments/pay.ts'
import { queryDueOrders } from '../../src/intents/query-wallets.ts'
import { noDeadline } from '../../src/mongo/batchers.ts'
import { newId } from '../../src/platform/ids.ts'
import { noCommission } from '../../src/wallets/commission.ts'
import type { WalletOutcome } from '../../src/wallets/wallet.ts'
import { cancelIntent, createIntent, readIntent } from '../support/actions.ts'
import { createGate } from '../support/gate.ts'
import { outboxEventsOf, outcomeName, pay, simulate, storedIntent } from '../support/pay.ts'
import { type ScriptedWallet, scriptedWallet } from '../support/scripted-wallet.ts'
import { withServiceAndMerchantPerTest } from '../support/service.ts'
import { openVictim } from '../support/victim.ts'
import { waitFor } from '../support/wait-for.ts'

const dayMs = 86_400_000
const minuteMs = 60_000

describe('A payment in progress', () => {
  const { service, merchant } = withServiceAndMerchantPerTest()
  let wallet: ScriptedWallet
  beforeEach(() => {
    wallet = scriptedWallet(service)
    service.clock.freeze(new Date())
  })
  afterEach(async () => {
    service.clock.freeze(null)
    // Keeps this test's open payments out of the next one.
    await service.deps.Intent.deleteMany({})
  })
  /** The returned function stops recording, and returns the queue of each job. */
  function recordEnqueued(): () => string[] {
    const { enqueue } = service.deps
    const queues: string[] = []
    service.deps.enqueue = (queue, jobs) => {
      queues.push(queue)
      enqueue(queue, jobs)
    }
    return () => {
      service.deps.enqueue = enqueue
      return queues
    }
  }
  const codeOf = ({ status, body }: { status: number; body: { error: { code: string } } }) =>
    `${status} ${body.error.code}`
  const listed = async (status: string) => {
    const { body } = await service.http.get('/api/v1/dev/intents').query({ status }).set(merchant.read())
    return body.data.items.map((intent: { referenceNumber: string }) => intent.referenceNumber)
  }
  async function paying(outcome: WalletOutcome) {
    const { referenceNumber } = await createIntent(service, merchant)
    const [key, gate] = [newId(), createGate()]
    wallet.setOutcome(() => gate.passed.then(() => outcome))
    const paid = pay(service, referenceNumber, { paymentId: key })
    await waitFor('the order', () => wallet.orders.includes(key))
    return {
      referenceNumber,
      key,
      async respond() {
        gate.open()
        return outcomeName(await paid)
      },
    }
  }

  it('keeps the merchant, a simulation and a second payer from changing the intent', async () => {
    const { referenceNumber, key, respond } = await paying({ outcome: 'refused', reason: 'wrong_pin' })
    for (const _again of [1, 2]) {
      expect(codeOf(await cancelIntent(service, merchant, referenceNumber))).to.equal(
        '400 INTENT_CANCEL_CONFLICT',
      )
      expect(codeOf(await simulate(service, merchant, referenceNumber))).to.equal('400 INTENT_NOT_PENDING')
      expect(outcomeName(await pay(service, referenceNumber))).to.equal('not-begun')
      expect(outcomeName(await pay(service, referenceNumber, { paymentId: key }))).to.equal('not-begun')
    }
    expect(await readIntent(service, merchant, referenceNumber)).to.include({ status: 'PENDING' })
    expect(await respond()).to.equal('refused')
    expect(wallet.orders).to.deep.equal([key])
    expect(outcomeName(await pay(service, referenceNumber, { paymentId: key }))).to.equal('not-begun')
    expect((await cancelIntent(service, merchant, referenceNumber)).status).to.equal(200)
    const intent = await storedIntent(service, referenceNumber)
    expect(outboxEventsOf(intent)).to.deep.equal(['payment.created', 'payment.cancelled'])
  })

  it('delays the expiry until it ends', async () => {
    const { referenceNumber, respond } = await paying({ outcome: 'done' })
    service.clock.advance(2 * dayMs)
    expect(await expireIntent(service.deps, referenceNumber)).to.deep.equal({ expired: false, dueAt: null })
    expect(await expireDueIntents(service.deps)).to.equal(0)
    expect(await readIntent(service, merchant, referenceNumber)).to.include({ status: 'PENDING' })
    expect([await listed('PENDING'), await listed('CANCELLED')]).to.deep.equal([[referenceNumber], []])
    expect(codeOf(await cancelIntent(service, merchant, referenceNumber))).to.equal(
      '400 INTENT_CANCEL_CONFLICT',
    )
    expect(await respond()).to.equal('done')
    expect([await listed('PENDING'), await listed('PAID')]).to.deep.equal([[], [referenceNumber]])
    expect(await expireIntent(service.deps, referenceNumber)).to.deep.equal({ expired: false, dueAt: null })
    const intent = await storedIntent(service, referenceNumber)
    expect(outboxEventsOf(intent)).to.deep.equal(['payment.created', 'payment.confirmed'])
  })

  const ends: { outcome: WalletOutcome; status: string; events: string[] }[] = [
    { outcome: { outcome: 'done' }, status: 'PAID', events: ['payment.confirmed'] },
    {
      outcome: { outcome: 'declined', reason: 'insufficient_funds' },
      status: 'CANCELLED',
      events: ['payment.failed', 'payment.expired'],
    },
    {
      outcome: { outcome: 'refused', reason: 'wrong_pin' },
      status: 'CANCELLED',
      events: ['payment.expired'],
    },
    { outcome: { outcome: 'not-executed' }, status: 'CANCELLED', events: ['payment.expired'] },
    {
      outcome: { outcome: 'failed', reason: 'technical_error' },
      status: 'FAILED',
      events: ['payment.failed'],
    },
  ]
  for (const { outcome, status, events } of ends)
    it(`leaves the intent ${status} if the outcome "${outcome.outcome}" arrives after the expiry time`, async () => {
      const { referenceNumber, respond } = await paying(outcome)
      service.clock.advance(dayMs + minuteMs)
      const enqueued = recordEnqueued()
      expect(await respond()).to.equal(outcome.outcome)
      expect(enqueued().includes('intent-expiry')).to.equal(status === 'CANCELLED')
      expect(await readIntent(service, merchant, referenceNumber)).to.include({ status })
      for (const _again of [1, 2]) await expireIntent(service.deps, referenceNumber)
      const intent = await storedIntent(service, referenceNumber)
      expect(intent).to.deep.include({ status, hold: null })
      expect(outboxEventsOf(intent)).to.deep.equal(['payment.created', ...events])
      const dates = intent.outbox.map(({ createdAt }) => createdAt.getTime())
      expect(dates).to.deep.equal(dates.toSorted((a, b) => a - b))
      expect([intent.updatedAt.getTime(), dates.at(-1)]).to.deep.equal(
        Array(2).fill(service.clock.now().getTime()),
      )
      expect(outcomeName(await pay(service, referenceNumber))).to.equal('not-begun')
    })

  it("can't be submitted again, even after 50 later attempts", async () => {
    const { referenceNumber } = await createIntent(service, merchant)
    wallet.setOutcome(() => ({ outcome: 'refused', reason: 'wrong_pin' }))
    await pay(service, referenceNumber)
    const [first] = (await storedIntent(service, referenceNumber)).attempts
    const others = Array.from({ length: 49 }, () => ({ ...first, id: newId() }))
    await service.deps.Intent.collection.updateOne({ referenceNumber }, {
      $push: { attempts: { $each: others } },
    } as never)
    await pay(service, referenceNumber)
    const { attempts } = await storedIntent(service, referenceNumber)
    const ids = [...others.map(({ id }) => id), wallet.orders[1]]
    expect(attempts.map(({ id }) => id)).to.deep.equal(ids)
    const repeated = await pay(service, referenceNumber, { paymentId: String(wallet.orders[0]) })
    expect(outcomeName(repeated)).to.equal('not-begun')
    expect(wallet.orders).to.have.length(2)
  })

  it("holds the intent even if the time of the next wallet query can't be stored", async () => {
    const { referenceNumber } = await createIntent(service, merchant)
    const intent = await storedIntent(service, referenceNumber)
    const form = { paymentId: newId(), phone: '22000001', pin: '1234', amount: 50_000 }
    const confirmation = { ...form, commission: noCommission }
    let waits = 0
    const payer: PaymentContext = {
      cause: null,
      clientIp: '',
      withinDeadline(work) {
        waits += 1
        return waits === 3 ? Promise.reject(new Error('MongoDB is down')) : work(noDeadline)
      },
    }
    const paid = await payIntent(service.deps, wallet, intent, confirmation, payer)
    expect([paid, waits]).to.deep.equal([{ state: 'waiting' }, 3])
    const { hold } = await storedIntent(service, referenceNumber)
    expect(hold?.queryAt).to.deep.equal(hold?.validUntil)
  })

  /** MongoDB takes `ms` to store the hold. `late`: the process is killed meanwhile. */
  async function holdSlowly(fate: 'paused' | 'late', ageMs: number, ms: number) {
    const { referenceNumber } = await createIntent(service, merchant)
    service.clock.advance(ageMs)
    const key = newId()
    // Step 1 reads the intent.
    const process = await openVictim(service, { step: 2, fate, lateMs: 0 })
    const orders = scriptedWallet(process).orders
    const paid = pay(process, referenceNumber, { paymentId: key }).then(outcomeName, () => 'died')
    await process.died
    expect(process.steps).to.deep.equal(['mongodb find', 'mongodb update'])
    service.clock.advance(ms)
    await process.release()
    return { referenceNumber, key, orders, paid, process }
  }

  it('starts only if the intent would still be open according to a clock that is one second fast', async () => {
    const begunAt = async (ageMs: number) => {
      const { referenceNumber } = await createIntent(service, merchant)
      service.clock.advance(ageMs)
      return outcomeName(await pay(service, referenceNumber))
    }
    wallet.setOutcome(() => ({ outcome: 'done' }))
    expect(await begunAt(dayMs - 1001)).to.equal('done')
    expect(await begunAt(dayMs - 1000)).to.equal('not-begun')
    expect(wallet.orders).to.have.length(1)
  })

  for (const [what, ageMs, ms, status, enqueued] of [
    ['the intent expired', dayMs - 1500, 2000, 'CANCELLED', ['enqueue intent-expiry']],
    ['the intent expired for a clock that is a second fast', dayMs - 1500, 500, 'PENDING', []],
    ['the order expired', 0, minuteMs, 'PENDING', []],
  ] as const)
    it(`sends no order to the wallet if ${what} while MongoDB was storing the hold`, async () => {
      const { referenceNumber, orders, paid, process } = await holdSlowly('paused', ageMs, ms)
      expect([await paid, orders]).to.deep.equal(['not-executed', []])
      const released = ['mongodb find', 'mongodb update']
      expect(process.steps).to.deep.equal(['mongodb find', 'mongodb update', ...released, ...enqueued])
      expect(await readIntent(service, merchant, referenceNumber)).to.include({ status })
      const intent = await storedIntent(service, referenceNumber)
      expect(intent).to.deep.include({ status: 'PENDING', hold: null, payment: null })
      await process.close()
    })

  it('releases the intent if its process died while writing the hold', async () => {
    const { referenceNumber, key, orders, paid, process } = await holdSlowly('late', 0, minuteMs)
    wallet.setStatus({ outcome: 'not-executed' })
    const { _id, hold } = await storedIntent(service, referenceNumber)
    expect(hold?.id).to.equal(key)
    expect(await queryDueOrders(service.deps)).to.equal(1)
    await service.deps.backgroundWork.ended()
    const stillPending = { _id, status: 'PENDING', hold: null }
    expect(await storedIntent(service, referenceNumber)).to.deep.include(stillPending)
    expect(outcomeName(await pay(service, referenceNumber, { paymentId: key }))).to.equal('not-begun')
    wallet.setOutcome(() => ({ outcome: 'done' }))
    expect(outcomeName(await pay(service, referenceNumber))).to.equal('done')
    expect(orders).to.deep.equal([])
    await process.close()
    await paid
  })
})
