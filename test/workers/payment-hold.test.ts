import { expect } from 'chai'
import { expireIntent } from '../../src/intents/expire.ts'
import { expireDue } from '../../src/intents/expire-due.ts'
import { type PaymentRequest, payIntent } from '../../src/intents/payments/pay.ts'
import { queryDueWallets } from '../../src/intents/query-due-wallets.ts'
import { noDeadline } from '../../src/mongo/batching/batcher.ts'
import { newId } from '../../src/security/ids.ts'
import type { WalletOutcome } from '../../src/wallets/wallet.ts'
import { cancelIntent, createIntent, readIntent } from '../support/actions.ts'
import { createGate } from '../support/gate.ts'
import { outboxEventsOf, outcomeName, pay, simulate, storedIntent } from '../support/pay.ts'
import { type ScriptedWallet, scriptedWallet } from '../support/scripted-wallet.ts'
import { withMerchantPerTest, withService } from '../support/service.ts'
import { openVictim } from '../support/victim.ts'
import { waitFor } from '../support/wait-for.ts'

const dayMs = 86_400_000
const minuteMs = 60_000

describe('A payment in progress', () => {
  const service = withService()
  const merchant = withMerchantPerTest(service)
  let wallet: ScriptedWallet
  beforeEach(() => {
    wallet = scriptedWallet(service)
    service.clock.freeze(new Date())
  })
  afterEach(async () => {
    service.clock.freeze(null)
    // What one case leaves under way is not to be found by the next.
    await service.deps.Intent.deleteMany({})
  })

  const codeOf = ({ status, body }: { status: number; body: { error: { code: string } } }) =>
    `${status} ${body.error.code}`
  const listed = async (status: string) => {
    const { body } = await service.http.get('/api/v1/dev/intents').query({ status }).set(merchant.read())
    return body.data.items.map((intent: { referenceNumber: string }) => intent.referenceNumber)
  }

  /** An intent that somebody pays: the wallet has the order, and answers when it is told to. */
  async function paying(outcome: WalletOutcome) {
    const { referenceNumber } = await createIntent(service, merchant)
    const [key, gate] = [newId(), createGate()]
    wallet.setOutcome(() => gate.passed.then(() => outcome))
    const paid = pay(service, referenceNumber, { paymentId: key })
    await waitFor('the order', () => wallet.orders.includes(key))
    return {
      referenceNumber,
      key,
      async answered() {
        gate.open()
        return outcomeName(await paid)
      },
    }
  }

  it('keeps the merchant, a simulation and a second payer from changing the intent until it ends', async () => {
    const { referenceNumber, key, answered } = await paying({ outcome: 'refused', reason: 'wrong_pin' })
    for (const _again of [1, 2]) {
      expect(codeOf(await cancelIntent(service, merchant, referenceNumber))).to.equal(
        '400 INTENT_CANCEL_CONFLICT',
      )
      expect(codeOf(await simulate(service, merchant, referenceNumber))).to.equal('400 INTENT_NOT_PENDING')
      expect(outcomeName(await pay(service, referenceNumber))).to.equal('not-begun')
      expect(outcomeName(await pay(service, referenceNumber, { paymentId: key }))).to.equal('not-begun')
    }
    expect(await readIntent(service, merchant, referenceNumber)).to.include({ status: 'PENDING' })
    expect(await answered()).to.equal('refused')
    expect(wallet.orders).to.deep.equal([key])
    // The form that was sent before is not carried out again.
    expect(outcomeName(await pay(service, referenceNumber, { paymentId: key }))).to.equal('not-begun')
    expect((await cancelIntent(service, merchant, referenceNumber)).status).to.equal(200)
    const intent = await storedIntent(service, referenceNumber)
    expect(outboxEventsOf(intent)).to.deep.equal(['payment.created', 'payment.cancelled'])
  })

  it('delays the expiry: the intent reads PENDING until the payment ends, however long that takes', async () => {
    const { referenceNumber, answered } = await paying({ outcome: 'done' })
    service.clock.advance(2 * dayMs)
    expect(await expireIntent(service.deps, referenceNumber)).to.deep.equal({ expired: false, dueAt: null })
    expect(await expireDue(service.deps)).to.equal(0)
    expect(await readIntent(service, merchant, referenceNumber)).to.include({ status: 'PENDING' })
    expect([await listed('PENDING'), await listed('CANCELLED')]).to.deep.equal([[referenceNumber], []])
    expect(codeOf(await cancelIntent(service, merchant, referenceNumber))).to.equal(
      '400 INTENT_CANCEL_CONFLICT',
    )
    expect(await answered()).to.equal('done')
    expect([await listed('PENDING'), await listed('PAID')]).to.deep.equal([[], [referenceNumber]])
    expect(await expireIntent(service.deps, referenceNumber)).to.deep.equal({ expired: false, dueAt: null })
    const intent = await storedIntent(service, referenceNumber)
    expect(outboxEventsOf(intent)).to.deep.equal(['payment.created', 'payment.confirmed'])
  })

  const ends: { outcome: WalletOutcome; status: string; told: string[] }[] = [
    {
      outcome: { outcome: 'declined', reason: 'insufficient_funds' },
      status: 'CANCELLED',
      told: ['payment.failed', 'payment.expired'],
    },
    { outcome: { outcome: 'refused', reason: 'wrong_pin' }, status: 'CANCELLED', told: ['payment.expired'] },
    { outcome: { outcome: 'not-executed' }, status: 'CANCELLED', told: ['payment.expired'] },
    { outcome: { outcome: 'failed', reason: 'technical_error' }, status: 'FAILED', told: ['payment.failed'] },
  ]
  for (const { outcome, status, told } of ends)
    it(`that is ${outcome.outcome} after the expiry leaves the intent ${status}, with one event for each change, in order`, async () => {
      const { referenceNumber, answered } = await paying(outcome)
      service.clock.advance(dayMs + minuteMs)
      expect(await answered()).to.equal(outcome.outcome)
      expect(await readIntent(service, merchant, referenceNumber)).to.include({ status })
      for (const _again of [1, 2]) await expireIntent(service.deps, referenceNumber)
      const intent = await storedIntent(service, referenceNumber)
      expect(intent).to.deep.include({ status, hold: null })
      expect(outboxEventsOf(intent)).to.deep.equal(['payment.created', ...told])
      const dates = intent.outbox.map(({ createdAt }) => createdAt.getTime())
      expect(dates).to.deep.equal(dates.toSorted((a, b) => a - b))
      expect([intent.updatedAt.getTime(), dates.at(-1)]).to.deep.equal(
        Array(2).fill(service.clock.now().getTime()),
      )
      expect(outcomeName(await pay(service, referenceNumber))).to.equal('not-begun')
    })

  for (const { outcome, status } of [{ outcome: { outcome: 'done' }, status: 'PAID' } as const, ...ends])
    it(`that is ${outcome.outcome} after the expiry ${status === 'CANCELLED' ? 'enqueues' : 'does not enqueue'} the expiry`, async () => {
      const { enqueue } = service.deps
      const enqueued: string[] = []
      service.deps.enqueue = (queue, jobs) => {
        enqueued.push(queue)
        enqueue(queue, jobs)
      }
      const { answered } = await paying(outcome)
      service.clock.advance(dayMs + minuteMs)
      enqueued.length = 0
      await answered()
      service.deps.enqueue = enqueue
      expect(enqueued.includes('intent-expiry')).to.equal(status === 'CANCELLED')
    })

  it('that was declined may be tried again; the reason is shown until one succeeds', async () => {
    const { referenceNumber } = await createIntent(service, merchant)
    const before = await storedIntent(service, referenceNumber)
    wallet.setOutcome(() => ({ outcome: 'declined', reason: 'limit_exceeded' }))
    expect(outcomeName(await pay(service, referenceNumber))).to.equal('declined')
    const declined = await storedIntent(service, referenceNumber)
    expect(declined.failure).to.deep.equal({ code: 'limit_exceeded', retryable: true })
    // The customer still has the code.
    expect(declined.codeReusableAt).to.deep.equal(before.codeReusableAt)
    wallet.setOutcome(() => ({ outcome: 'done' }))
    expect(outcomeName(await pay(service, referenceNumber))).to.equal('done')
    const after = await storedIntent(service, referenceNumber)
    expect([after.status, after.failure]).to.deep.equal(['PAID', null])
    expect(outboxEventsOf(after)).to.deep.equal(['payment.created', 'payment.failed', 'payment.confirmed'])
    expect(after.codeReusableAt.getTime() - service.clock.now().getTime()).to.equal(15 * minuteMs)
  })

  it('that fails for good releases the code, like one that succeeds', async () => {
    const { referenceNumber } = await createIntent(service, merchant)
    wallet.setOutcome(() => ({ outcome: 'failed', reason: 'wallet_closed' }))
    await pay(service, referenceNumber)
    const { codeReusableAt } = await storedIntent(service, referenceNumber)
    expect(codeReusableAt.getTime() - service.clock.now().getTime()).to.equal(15 * minuteMs)
  })

  it('keeps the last 50 attempts only', async () => {
    const { referenceNumber } = await createIntent(service, merchant)
    wallet.setOutcome(() => ({ outcome: 'refused', reason: 'wrong_pin' }))
    for (let count = 0; count < 55; count += 1) await pay(service, referenceNumber)
    const { attempts } = await storedIntent(service, referenceNumber)
    expect(attempts.map(({ id }) => id)).to.deep.equal(wallet.orders.slice(-50))
    // The form of the first is known all the same.
    expect(
      outcomeName(await pay(service, referenceNumber, { paymentId: String(wallet.orders[0]) })),
    ).to.equal('not-begun')
    expect(wallet.orders).to.have.length(55)
  })

  it('holds the intent even if MongoDB does not store when to ask the wallet', async () => {
    const { referenceNumber } = await createIntent(service, merchant)
    const intent = await storedIntent(service, referenceNumber)
    const confirmation = { paymentId: newId(), phone: '22000001', pin: '1234', amount: 50_000 }
    let waits = 0
    const payer: PaymentRequest = {
      cause: null,
      withinDeadline(work) {
        waits += 1
        return waits === 3 ? Promise.reject(new Error('MongoDB is away')) : work(noDeadline)
      },
    }
    const paid = await payIntent(service.deps, wallet, intent, confirmation, payer)
    expect([paid, waits]).to.deep.equal([{ state: 'waiting' }, 3])
    const { hold } = await storedIntent(service, referenceNumber)
    expect(hold?.queryAt).to.deep.equal(hold?.validUntil)
  })

  /** Confirmed at an age by a process whose hold waits in MongoDB for `ms`; `fate` as of a killed process, or `paused`. */
  async function slowlyHeld(fate: 'paused' | 'late', ageMs: number, ms: number) {
    const { referenceNumber } = await createIntent(service, merchant)
    service.clock.advance(ageMs)
    const key = newId()
    // After the look at the intent.
    const process = await openVictim(service, { step: 2, fate, lateMs: 0 })
    const orders = scriptedWallet(process).orders
    const paid = pay(process, referenceNumber, { paymentId: key }).then(outcomeName, () => 'died')
    await process.died
    expect(process.steps).to.deep.equal(['mongodb find', 'mongodb update'])
    service.clock.advance(ms)
    await process.release()
    return { referenceNumber, key, orders, paid, process }
  }

  it('begins only if the intent is open by a clock that is a second ahead', async () => {
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

  for (const [what, ageMs, ms, status, asked] of [
    ['was up meanwhile', dayMs - 1500, 2000, 'CANCELLED', ['enqueue intent-expiry']],
    ['was up for a clock that is a second ahead', dayMs - 1500, 500, 'PENDING', []],
    ['for the order is over', 0, minuteMs, 'PENDING', []],
  ] as const)
    it(`is not begun if MongoDB took so long to hold it that the time ${what}`, async () => {
      const { referenceNumber, orders, paid, process } = await slowlyHeld('paused', ageMs, ms)
      expect([await paid, orders]).to.deep.equal(['not-executed', []])
      // Its expiry is asked for, and not waited for.
      const held = ['mongodb find', 'mongodb update']
      const suspended = 'mongodb find'
      expect(process.steps).to.deep.equal([
        ...held,
        suspended,
        'mongodb update',
        'enqueue outbox-relay',
        ...asked,
      ])
      expect(await readIntent(service, merchant, referenceNumber)).to.include({ status })
      const intent = await storedIntent(service, referenceNumber)
      expect(intent).to.deep.include({ status: 'PENDING', hold: null, payment: null })
      await process.close()
    })

  it('is released if its process died before it knew of the hold, and its form has no effect later', async () => {
    const { referenceNumber, key, orders, paid, process } = await slowlyHeld('late', 0, minuteMs)
    wallet.setStatus({ outcome: 'not-executed' })
    const { _id, hold } = await storedIntent(service, referenceNumber)
    expect(hold?.id).to.equal(key)
    expect(await queryDueWallets(service.deps)).to.equal(1)
    await service.deps.backgroundWork.ended()
    expect(await storedIntent(service, referenceNumber)).to.deep.include({
      _id,
      status: 'PENDING',
      hold: null,
    })
    expect(outcomeName(await pay(service, referenceNumber, { paymentId: key }))).to.equal('not-begun')
    wallet.setOutcome(() => ({ outcome: 'done' }))
    expect(outcomeName(await pay(service, referenceNumber))).to.equal('done')
    expect(orders).to.deep.equal([])
    await process.close()
    await paid
  })
})
