import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import type { Caller } from '../../src/businesses/caller.ts'
import type { Deps } from '../../src/deps.ts'
import { cancelIntent } from '../../src/intents/cancel.ts'
import { createIntent } from '../../src/intents/create.ts'
import { expireIntent } from '../../src/intents/expire.ts'
import type { Intent } from '../../src/intents/intent.ts'
import type { IntentRequest } from '../../src/intents/parse-create.ts'
import { simulatePayment } from '../../src/intents/payments/simulate.ts'
import { queryWallet } from '../../src/intents/query-wallets.ts'
import { newId } from '../../src/security/ids.ts'
import { newAccount } from '../../src/wallets/sandbox/account.ts'
import { decideWithoutMoney, transfer } from '../../src/wallets/sandbox/transfer.ts'
import type { PaymentOrder, WalletOutcome } from '../../src/wallets/wallet.ts'
import { openWallets } from '../../src/wallets/wallets.ts'
import { expectBalanced } from '../support/books.ts'
import { callerOf } from '../support/caller.ts'
import { createGate } from '../support/gate.ts'
import { outboxEventsOf, outcomeName, payFor, refund, storedIntent } from '../support/pay.ts'
import { withMerchant, withSecondProcess, withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

const rounds = 2000
const together = 25

const dayMs = 86_400_000
/** Whom a round's payers pay by: enough that they seldom wait for one another. */
const wallets = 50
/** Of some 25 payments of about 100 each, a wallet can make most. */
const balance = 2000

describe('Two payers, the merchant, a simulation and the expiry that compete for one intent', () => {
  const service = withService()
  const beside = withSecondProcess(service)
  const merchant = withMerchant(service)
  let caller: Caller
  const instant = new Date('2032-01-01T00:00:00Z')
  /** Customers may just begin. */
  const soon = new Date(instant.getTime() + dayMs - 1001)
  /** To the API there is time left, to the workers there is none: their clocks are further apart than any may be. */
  let workers: Deps[]
  before(async () => {
    caller = callerOf(merchant)
    service.clock.freeze(instant)
    beside.clock.freeze(soon)
    for (const { deps } of [service, beside]) deps.wallets = withoutPins(deps)
    const later = new Date(instant.getTime() + dayMs + 60_000)
    workers = [service, beside].map(({ deps }) => ({ ...deps, now: () => later }))
    const accounts = Array.from({ length: wallets }, (_, number) => {
      const phone = phoneOf(number)
      return newAccount({ _id: phone, phone, businessId: null, pinHash: null, balance }, instant)
    })
    await service.deps.WalletAccount.insertMany(accounts)
  })

  const phoneOf = (number: number) => String(23_000_000 + (number % wallets))

  /** The sandbox wallet from the PIN on, of which hashing is all the price. The PIN says what goes wrong. */
  function withoutPins(deps: Deps) {
    const sandbox = deps.wallets.forPayments(true) ?? expect.fail()
    async function authorise({ key, amount, validUntil, phone, pin }: PaymentOrder): Promise<WalletOutcome> {
      const order = { key, kind: 'payment', amount, paymentKey: key, validUntil } as const
      if (pin === 'wrong') return decideWithoutMoney(deps, order, { outcome: 'refused', reason: 'wrong_pin' })
      if (pin === 'fails')
        return decideWithoutMoney(deps, order, { outcome: 'failed', reason: 'technical_error' })
      if (pin === 'hangs up before') throw new TypeError('it hung up')
      if (pin === 'slow') await held.passed
      const outcome = await transfer(deps, phone, order)
      if (pin === 'hangs up after') throw new TypeError('it hung up')
      return outcome
    }
    return openWallets({ ...sandbox, authorise }, null)
  }

  const pins = [
    'right',
    'right',
    'wrong',
    'right',
    'hangs up after',
    'fails',
    'right',
    'hangs up before',
    'right',
  ]

  type Act = 'payer' | 'other' | 'cancel' | 'simulation' | 'expiry' | 'question'

  /** How everything that was tried on one intent at once went. */
  interface Round {
    referenceNumber: string
    went: Record<Act, string>
  }

  /**
   * The first rounds, of which each brings about an end that chance may not: who is done before the others begin, and the PIN of the payer.
   * One that is slow has the intent under way while the merchant cancels.
   */
  const steered: { first: Act; pin: string }[] = [
    { first: 'payer', pin: 'right' },
    { first: 'payer', pin: 'fails' },
    { first: 'simulation', pin: 'right' },
    { first: 'cancel', pin: 'right' },
    { first: 'expiry', pin: 'right' },
    { first: 'cancel', pin: 'slow' },
  ]
  /** Opens when the merchant has heard that somebody pays. */
  const held = createGate()

  const effect = () => ({ id: newId(), deadlineAt: performance.now() + 10_000, cause: null, seal: () => '' })
  const asked = (asking: Promise<Intent>): Promise<string> =>
    asking.then(
      () => 'done',
      (error: { code: string }) => error.code,
    )

  /**
   * All at once, as the pages, the API and the workers begin it; each in turn with a little start, and one is left out, so that not
   * always the same is quickest; but for the rounds that are steered. The question comes too early: the wallet has the order still.
   */
  async function race(intent: Intent, index: number): Promise<Round> {
    const { referenceNumber } = intent
    const asIf = (number: number) => ({
      phone: phoneOf(index + number),
      pin: pins[(index + number) % pins.length] ?? '',
    })
    const steer = steered[index]
    const worker = workers[index % 2] as Deps
    const acts = {
      payer: async () =>
        outcomeName(await payFor(service, intent, { ...asIf(0), ...(steer && { pin: steer.pin }) })),
      other: async () => outcomeName(await payFor(beside, intent, asIf(7))),
      cancel: () => asked(cancelIntent(service.deps, caller, referenceNumber, effect())),
      simulation: () => {
        const outcome = index % 10 === 0 ? 'insufficient_funds' : 'success'
        const simulation = { amount: null, payerPhone: '22000001', outcome } as const
        return asked(simulatePayment(beside.deps, caller, referenceNumber, simulation, effect()))
      },
      expiry: async () => ((await expireIntent(worker, referenceNumber)).expired ? 'done' : 'not'),
      question: async () => {
        const { _id, hold } = await storedIntent(service, referenceNumber)
        return hold === null ? 'not' : (await queryWallet(worker, _id, hold.id)).outcome
      },
    }
    const names = Object.keys(acts) as Act[]
    if (steer !== undefined) return { referenceNumber, went: await oneFirst(intent, acts, steer) }
    const words = names.map(async (name, place) => {
      const turn = (index + place) % names.length
      if (turn === names.length - 1) return [name, 'left out']
      await pause(turn * (index % 4) * 2)
      return [name, await acts[name]()]
    })
    return { referenceNumber, went: Object.fromEntries(await Promise.all(words)) }
  }

  async function oneFirst(
    { referenceNumber }: Intent,
    acts: Record<Act, () => Promise<string>>,
    { first, pin }: { first: Act; pin: string },
  ): Promise<Round['went']> {
    const went: Partial<Record<Act, Promise<string>>> = {}
    if (pin === 'slow') {
      went.payer = acts.payer()
      await waitFor('under way', async () => (await storedIntent(service, referenceNumber)).hold !== null)
    }
    went[first] = acts[first]()
    await went[first]
    if (pin === 'slow') held.open()
    for (const name of Object.keys(acts) as Act[]) went[name] ??= acts[name]()
    const words = Object.entries(went).map(async ([name, word]) => [name, await word])
    return Object.fromEntries(await Promise.all(words))
  }

  /** Ends what is open: whoever hung up is asked by two workers at once, and the time is up for what nobody won. */
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

  /** One end, whoever heard that it was theirs; the events that the history asks for, once each; never paid by two. */
  function expectOneWinner(intent: Intent, { went, referenceNumber }: Round): string {
    const label = `${referenceNumber} ${JSON.stringify(went)}`
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

    const payers = [went.payer, went.other]
    const heard = [...payers, went.cancel, went.simulation, went.expiry].filter((word) => word === 'done')
    expect(heard.length, label).to.be.at.most(1)
    if (payers.includes('done')) expect(payment?.wallet, label).to.equal('sandbox')
    if (payers.includes('failed')) expect(status, label).to.equal('FAILED')
    expect(went.simulation === 'done', label).to.equal(payment?.wallet === 'simulation')
    expect(went.cancel === 'done', label).to.equal(end === 'requested_by_merchant')
    if (went.expiry === 'done') expect(end, label).to.equal('expired')
    return payment === null ? end : `${end} by ${payment.wallet}`
  }

  it(`have one winner and only its events, in ${rounds} rounds, with correct balances, even after refunds`, async function () {
    this.timeout(120_000)
    const request: IntentRequest = {
      amount: 100,
      amountType: 'FIXED',
      label: null,
      metadata: [],
      successUrl: null,
      cancelUrl: null,
    }
    await inChunks(rounds, 100, () => createIntent(service.deps, caller, request, effect()))
    const made = await service.deps.Intent.find().lean<Intent[]>()
    service.clock.freeze(soon)
    const raced = await inChunks(rounds, together, (index) => race(made[index] ?? expect.fail(), index))
    const winners = new Map<string, number>()
    const paid: string[] = []
    const open = await service.deps.Intent.find({ status: 'PENDING' }).lean<Intent[]>()
    await inChunks(open.length, together, (index) => conclude(open[index] ?? expect.fail()))
    const ended = await service.deps.Intent.find().lean<Intent[]>()
    const byReference = new Map(ended.map((intent) => [intent.referenceNumber, intent]))
    for (const round of raced) {
      const intent = byReference.get(round.referenceNumber) ?? expect.fail()
      const winner = expectOneWinner(intent, round)
      winners.set(winner, (winners.get(winner) ?? 0) + 1)
      if (intent.payment?.wallet === 'sandbox') paid.push(intent.referenceNumber)
    }
    // Those that are steered see to each.
    expect([...winners.keys()]).to.have.members([
      'PAID by sandbox',
      'PAID by simulation',
      'FAILED',
      'expired',
      'requested_by_merchant',
    ])
    const cancels = new Set(raced.map(({ went }) => went.cancel))
    expect(cancels).to.include.all.keys('done', 'INTENT_CANCEL_CONFLICT', 'INTENT_CANCEL_INVALID_STATUS')
    await expectBalanced(service, balance * wallets)

    const refundable = paid.slice(0, 100)
    await Promise.all(
      refundable.map(async (referenceNumber, index) => {
        // Whoever is first, there is room for one of the larger two.
        const sizes = [60, 60, 20 + (index % 20)]
        const answers = await Promise.all(
          sizes.map((size, place) => refund(place === 0 ? beside : service, merchant, referenceNumber, size)),
        )
        expect(answers.slice(0, 2).filter(({ status }) => status === 200).length).to.be.at.most(1)
      }),
    )
    const { refunded } = await expectBalanced(service, balance * wallets)
    expect(refunded).to.be.at.least(60 * refundable.length)
  })
})

/** Calls `act` so many times, `size` at once. */
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
