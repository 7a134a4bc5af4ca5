import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import type { Caller } from '../../src/businesses/caller.ts'
import type { OperationResult } from '../../src/idempotency/request.ts'
import { cancelIntent } from '../../src/intents/cancel.ts'
import { expireIntent } from '../../src/intents/expire.ts'
import type { Intent } from '../../src/intents/intent.ts'
import { simulatePayment } from '../../src/intents/payments/simulate.ts'
import { queryWallet } from '../../src/intents/query-wallets.ts'
import type { Deps } from '../../src/platform/deps.ts'
import { newAccount } from '../../src/wallets/sandbox/account.ts'
import { createSandboxWallet, decideOrder, demoWallets } from '../../src/wallets/sandbox/sandbox-wallet.ts'
import {
  type KnownOutcome,
  openWallets,
  type PaymentOrder,
  type WalletOutcome,
} from '../../src/wallets/wallet.ts'
import { createIntent } from '../support/actions.ts'
import { callerOf } from '../support/caller.ts'
import { createGate } from '../support/gate.ts'
import { rounds } from '../support/machine.ts'
import { outboxEventsOf, outcomeName, payFor, refund, storedIntent } from '../support/pay.ts'
import { withMerchant, withSecondProcess, withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { dataOf, newRequest } from '../support/write-request.ts'

const all = rounds(150, 12)
const roundsAtOnce = 25

const dayMs = 86_400_000
/** Enough that payers seldom wait for each other. */
const wallets = 50
/** The demo wallet without money. */
const empty = '22000003'

describe('A race for one intent between two payers, the merchant, a simulation and the expiry', () => {
  const service = withService()
  const beside = withSecondProcess(service)
  const merchant = withMerchant(service)
  let caller: Caller
  const instant = new Date('2032-01-01T00:00:00Z')
  /** The last second in which a payment may begin. */
  const soon = new Date(instant.getTime() + dayMs - 1001)
  /** The intent has expired for the workers, but not for the API. No real clock skew is this large. */
  let workers: Deps[]
  before(async () => {
    caller = callerOf(merchant)
    service.clock.freeze(instant)
    beside.clock.freeze(soon)
    for (const { deps } of [service, beside]) deps.wallets = withoutPins(deps)
    const later = new Date(instant.getTime() + dayMs + 60_000)
    workers = [service, beside].map(({ deps }) => ({ ...deps, now: () => later }))
    const { businessId } = merchant
    const accounts = Array.from({ length: wallets }, (_, number) => {
      const phone = phoneOf(number)
      const balance = demoWallets[phone === empty ? empty : '22000001']?.balance ?? 0
      return newAccount({ _id: phone, phone, businessId, pinHash: null, balance }, instant)
    })
    await service.deps.WalletAccount.insertMany(accounts)
  })

  const phoneOf = (number: number) => (number % wallets === 9 ? empty : `${23_000_000 + (number % wallets)}`)

  /** Skips the hashing, which would be slow. The PIN selects the fault. */
  function withoutPins(deps: Deps) {
    const slowHash = { ...deps.slowHash, make: async () => '', createCheck: () => async () => true }
    const sandbox = createSandboxWallet({ ...deps, slowHash })
    async function authorise(order: PaymentOrder): Promise<WalletOutcome> {
      const { key: _id, amount, fee, validUntil, pin } = order
      const unpaid = (outcome: KnownOutcome) =>
        decideOrder(
          deps,
          { _id, accountId: null, kind: 'payment', amount, fee, validUntil },
          async () => outcome,
        )
      if (pin === 'wrong') return unpaid({ outcome: 'refused', reason: 'wrong_pin' })
      if (pin === 'fails') return unpaid({ outcome: 'failed', reason: 'technical_error' })
      if (pin === 'fails before transfer') throw new TypeError('the connection was closed')
      if (pin === 'slow') await slowPayment.passed
      const outcome = await sandbox.authorise(order)
      if (pin === 'fails after transfer') throw new TypeError('the connection was closed')
      return outcome
    }
    return openWallets({ ...sandbox, authorise }, null)
  }

  const pins = [
    'right',
    'right',
    'wrong',
    'right',
    'fails after transfer',
    'fails',
    'right',
    'fails before transfer',
    'right',
  ]

  type Actor = 'payer' | 'other' | 'cancel' | 'simulation' | 'expiry' | 'query'

  /** What each actor of one round achieved. */
  interface Round {
    referenceNumber: string
    results: Record<Actor, string>
  }

  /**
   * The first rounds make sure that each end occurs. `first` is done before the others begin. `pin` is the payer's PIN.
   * With `slow`, the payment is in progress while the merchant cancels.
   */
  const controlled: { first: Actor; pin: string }[] = [
    { first: 'payer', pin: 'right' },
    { first: 'payer', pin: 'fails' },
    { first: 'simulation', pin: 'right' },
    { first: 'cancel', pin: 'right' },
    { first: 'expiry', pin: 'right' },
    { first: 'cancel', pin: 'slow' },
  ]
  /** Opens when the payment has made the service refuse the merchant's cancellation. */
  const slowPayment = createGate()

  const resultOf = (request: Promise<OperationResult>): Promise<string> =>
    request.then(dataOf).then(
      () => 'done',
      (error: { code: string }) => error.code,
    )

  /**
   * Runs all actors at once, as the pages, the API and the workers do. Each starts a little later than the previous
   * one, and the last is left out. The order changes with `index`, so that different actors win. The query comes too
   * early, while the wallet still works on the order.
   */
  async function race(intent: Intent, index: number): Promise<Round> {
    const { referenceNumber } = intent
    const formOf = (number: number) => ({
      phone: phoneOf(index + number),
      pin: pins[(index + number) % pins.length] ?? '',
    })
    const control = controlled[index]
    const worker = workers[index % 2] as Deps
    const acts = {
      payer: async () =>
        outcomeName(await payFor(service, intent, { ...formOf(0), ...(control && { pin: control.pin }) })),
      other: async () => outcomeName(await payFor(beside, intent, formOf(7))),
      cancel: () => resultOf(cancelIntent(service.deps, caller, referenceNumber, newRequest(service.deps))),
      simulation: () => {
        const outcome = index % 10 === 0 ? 'insufficient_funds' : 'success'
        const simulation = { amount: null, payerPhone: '22000001', outcome } as const
        return resultOf(
          simulatePayment(beside.deps, caller, referenceNumber, simulation, newRequest(service.deps)),
        )
      },
      expiry: async () => ((await expireIntent(worker, referenceNumber)).expired ? 'done' : 'not'),
      query: async () => {
        const { _id, hold } = await storedIntent(service, referenceNumber)
        return hold === null ? 'not' : (await queryWallet(worker, _id, hold.id)).outcome
      },
    }
    const names = Object.keys(acts) as Actor[]
    if (control !== undefined) return { referenceNumber, results: await runOneFirst(intent, acts, control) }
    const results = names.map(async (name, at) => {
      const position = (index + at) % names.length
      if (position === names.length - 1) return [name, 'left out']
      await pause(position * (index % 4) * 2)
      return [name, await acts[name]()]
    })
    return { referenceNumber, results: Object.fromEntries(await Promise.all(results)) }
  }

  async function runOneFirst(
    { referenceNumber }: Intent,
    acts: Record<Actor, () => Promise<string>>,
    { first, pin }: { first: Actor; pin: string },
  ): Promise<Round['results']> {
    const running: Partial<Record<Actor, Promise<string>>> = {}
    if (pin === 'slow') {
      running.payer = acts.payer()
      await waitFor('the hold', async () => (await storedIntent(service, referenceNumber)).hold !== null)
    }
    running[first] = acts[first]()
    await running[first]
    if (pin === 'slow') slowPayment.open()
    for (const name of Object.keys(acts) as Actor[]) running[name] ??= acts[name]()
    const results = Object.entries(running).map(async ([name, result]) => [name, await result])
    return Object.fromEntries(await Promise.all(results))
  }

  /** Ends an open intent: two workers at once query its wallet, then expire it. */
  async function conclude({ _id, referenceNumber, hold }: Intent): Promise<void> {
    if (hold !== null) await Promise.all(workers.map((deps) => queryWallet(deps, _id, hold.id)))
    await Promise.all(workers.map((deps) => expireIntent(deps, referenceNumber)))
  }

  const endings: Record<string, string> = {
    PAID: 'payment.confirmed',
    FAILED: 'payment.failed',
    expired: 'payment.expired',
    requested_by_merchant: 'payment.cancelled',
  }

  /**
   * The intent must have one end, at most one winner, at most one payment, and exactly the events of its history.
   * Returns the end.
   */
  function expectOneWinner(intent: Intent, { results, referenceNumber }: Round): string {
    const label = `${referenceNumber} ${JSON.stringify(results)}`
    const { status, cancellationReason, payment, attempts, hold } = intent
    expect(hold, label).to.equal(null)
    const end = cancellationReason ?? status
    const outcomes = attempts.map(({ outcome }) => outcome)
    const declined = outcomes.filter((outcome) => outcome === 'declined').map(() => 'payment.failed')
    expect(outboxEventsOf(intent), label).to.deep.equal(['payment.created', ...declined, endings[end]])
    expect(
      outcomes.filter((outcome) => outcome === 'done'),
      label,
    ).to.have.length(status === 'PAID' ? 1 : 0)
    expect(outcomes.includes('failed'), label).to.equal(status === 'FAILED')
    expect(payment !== null, label).to.equal(status === 'PAID')

    const payers = [results.payer, results.other]
    const winners = [...payers, results.cancel, results.simulation, results.expiry].filter(
      (result) => result === 'done',
    )
    expect(winners.length, label).to.be.at.most(1)
    if (payers.includes('done')) expect(payment?.wallet, label).to.equal('sandbox')
    if (payers.includes('failed')) expect(status, label).to.equal('FAILED')
    expect(results.simulation === 'done', label).to.equal(payment?.wallet === 'simulation')
    expect(results.cancel === 'done', label).to.equal(end === 'requested_by_merchant')
    if (results.expiry === 'done') expect(end, label).to.equal('expired')
    return payment === null ? end : `${end} by ${payment.wallet}`
  }

  it(`has one winner and sends only its events, in each of ${all} rounds`, async () => {
    await inChunks(all, 100, () => createIntent(service, merchant, { amount: 100 }))
    const made = await service.deps.Intent.find().lean<Intent[]>()
    service.clock.freeze(soon)
    const raced = await inChunks(all, roundsAtOnce, (index) => race(made[index] ?? expect.fail(), index))
    const winners = new Map<string, number>()
    const paid: string[] = []
    const open = await service.deps.Intent.find({ status: 'PENDING' }).lean<Intent[]>()
    await inChunks(open.length, roundsAtOnce, (index) => conclude(open[index] ?? expect.fail()))
    const ended = await service.deps.Intent.find().lean<Intent[]>()
    const byReference = new Map(ended.map((intent) => [intent.referenceNumber, intent]))
    for (const round of raced) {
      const intent = byReference.get(round.referenceNumber) ?? expect.fail()
      const winner = expectOneWinner(intent, round)
      winners.set(winner, (winners.get(winner) ?? 0) + 1)
      if (intent.payment?.wallet === 'sandbox') paid.push(intent.referenceNumber)
    }
    // The controlled rounds make sure that each end occurs.
    expect([...winners.keys()]).to.have.members([
      'PAID by sandbox',
      'PAID by simulation',
      'FAILED',
      'expired',
      'requested_by_merchant',
    ])
    const cancels = new Set(raced.map(({ results }) => results.cancel))
    expect(cancels).to.include.all.keys('done', 'INTENT_CANCEL_CONFLICT', 'INTENT_CANCEL_INVALID_STATUS')

    const refunded = await Promise.all(
      paid.slice(0, 100).map(async (referenceNumber, index) => {
        // The paid amount allows only one of the two larger refunds.
        const sizes = [60, 60, 20 + (index % 20)]
        const responses = await Promise.all(
          sizes.map((size, at) => refund(at === 0 ? beside : service, merchant, referenceNumber, size)),
        )
        const refunds = responses.map(({ status }) => status === 200)
        expect(refunds.slice(0, 2)).to.not.deep.equal([true, true])
        return refunds.includes(true)
      }),
    )
    expect(refunded).to.not.include(false)
  })
})

/** Calls `act` `count` times, `size` calls at once. */
async function inChunks<T>(count: number, size: number, act: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  for (let start = 0; start < count; start += size)
    results.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(size, count - start) }, (_, offset) => act(start + offset)),
      )),
    )
  return results
}
