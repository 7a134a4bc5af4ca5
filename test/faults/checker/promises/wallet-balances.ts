import type { MovementDocument, WalletDocument } from '../documents.ts'
import type { Broken, Judge, Round } from '../round.ts'
import { type Typed, typedForms } from '../views/forms.ts'
import { type Gone, goneFrom } from '../views/gone-movements.ts'
import { groupsOf, sumOf } from '../views/groups.ts'

/** The demo wallets that each business has, and what is in them at first (docs/testing.md): plenty, but for the empty one. */
const plenty = 9_000_000_000_000_000
const emptyDemo = '22000003'
const demoPin = '1234'

/**
 * The wallets of the sandbox balance to the centime: what each began with, less the payments that intents tell of, and their refunds; the ledger
 * says the same, it is the wallet of whoever typed its PIN, and nobody paid by a wrong one.
 */
export const walletBalances: Judge = function* (round) {
  yield* ledger(round)
  yield* balances(round)
  yield* rightfully(round)
}

const movedBy = ({ kind, amount }: MovementDocument): number =>
  kind === 'refund' ? (amount ?? 0) : -(amount ?? 0)
const doneIn = ({ dump }: Round) => dump.walletmovements.filter(({ result }) => result.outcome === 'done')

/** Each movement is a payment or a refund of an intent, and each of those is one movement. */
function* ledger(round: Round): Generator<Broken> {
  const done = new Map(doneIn(round).map((movement) => [movement._id, movement]))
  const due = new Map<string, { of: string; amount: number }>()
  for (const { referenceNumber: of, payment, refunds, cleanedAt } of round.dump.intents) {
    if (payment?.wallet !== 'sandbox' || cleanedAt !== undefined) continue
    due.set(payment.key, { of, amount: payment.amountPaid })
    for (const { id, amount, status } of refunds) if (status === 'SUCCEEDED') due.set(id, { of, amount })
  }
  for (const [key, { of, amount }] of due)
    if (done.get(key)?.amount !== amount)
      yield {
        of,
        says: `says that ${amount} moved as ${key}, and the ledger ${done.get(key)?.amount ?? 'nothing'}`,
      }
  for (const [key, { kind, amount }] of done)
    if (!due.has(key)) yield { of: key, says: `a ${kind} of ${amount} moved, and no intent tells of it` }
}

function* balances(round: Round): Generator<Broken> {
  const started = new Map(round.setting.wallets.map(({ phone, balance }) => [phone, balance]))
  const byAccount = groupsOf(doneIn(round), ({ accountId }) => accountId)
  // A clean-up takes rows of old payments, and leaves the wallets what they have.
  const gone = wasCleaned(round) ? goneFrom(round) : new Map<string, Gone>()
  for (const { _id: of, balance, current, ...wallet } of round.dump.wallets) {
    const start = startOf(wallet, started)
    const expected = start === null ? null : start + sumOf(byAccount.get(of) ?? [], movedBy)
    // The number of a demo wallet is the same in each business's sandbox.
    const { least, most } = gone.get(wallet.phone) ?? { least: 0, most: 0 }
    const atMost = wallet.businessId === null ? least : 0
    if (expected !== null && (balance > expected - atMost || balance < expected - most))
      yield { of, says: `has ${balance}, and should have ${rangeOf(expected - most, expected - atMost)}` }
    if (balance < 0) yield { of, says: `has ${balance}` }
    if (current !== null && current !== undefined)
      yield { of, says: 'has a movement under way, and all was quiet' }
  }
  for (const phone of started.keys())
    if (!round.dump.wallets.some(({ _id }) => _id === phone)) yield { of: phone, says: 'is gone' }
}

const rangeOf = (least: number, most: number): string =>
  least === most ? `${least}` : `between ${least} and ${most}`

/** Whether intents may be gone that were paid, with what they moved. */
const wasCleaned = ({ calls, setting }: Round): boolean =>
  calls.some(({ clockAheadMs: [ahead] }) => ahead >= setting.settings.sandboxRetentionDays * 86_400_000)

function startOf(
  { phone, businessId }: Omit<WalletDocument, '_id' | 'balance' | 'current'>,
  started: Map<string, number>,
): number | null {
  if (businessId === null) return started.get(phone) ?? null
  return phone === emptyDemo ? 0 : plenty
}

/**
 * A payment is known by the form that made it: it was taken from the wallet whose phone and PIN somebody typed there, and shows that phone masked. What goes
 * back goes to the same wallet.
 */
function* rightfully(round: Round): Generator<Broken> {
  const forms = typedForms(round)
  const moved = new Map(doneIn(round).map((movement) => [movement._id, movement]))
  const phoneOf = new Map(round.dump.wallets.map(({ _id, phone }) => [_id, phone]))
  for (const { referenceNumber: of, payment, refunds, sandbox } of round.dump.intents) {
    if (payment === null || payment.wallet === 'simulation') continue
    const right = (forms.get(payment.key) ?? []).filter((form) => isRightPin(round, form, sandbox))
    if (right.length === 0)
      yield { of, says: `was paid as ${payment.key}, and nobody typed a phone number and its PIN for that` }
    if (right.length > 0 && !right.some(({ phone }) => masked(phone) === payment.payerPhone))
      yield { of, says: `was paid by ${payment.payerPhone}, and the form says another phone number` }
    const account = moved.get(payment.key)?.accountId
    if (payment.wallet !== 'sandbox' || account === undefined) continue
    if (right.length > 0 && !right.some(({ phone }) => phone === phoneOf.get(account ?? '')))
      yield { of, says: `was paid from wallet ${account}, and the form says another phone number` }
    for (const { id } of refunds)
      if ((moved.get(id)?.accountId ?? account) !== account)
        yield { of, says: `refund ${id} went to wallet ${moved.get(id)?.accountId}, and ${account} had paid` }
  }
}

/** As it is shown. */
const masked = (phone: string): string => `${phone.slice(0, 2)}******${phone.slice(-2)}`

function isRightPin({ setting }: Round, { phone, pin }: Typed, sandbox: boolean): boolean {
  const wallets = sandbox ? setting.wallets : setting.providerWallets
  const known = wallets.find((wallet) => wallet.phone === phone)?.pin
  return pin === (known ?? (sandbox ? demoPin : undefined))
}
