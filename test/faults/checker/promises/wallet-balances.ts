import type { MovementDocument, WalletDocument } from '../documents.ts'
import type { Broken, Judge, Round } from '../round.ts'
import { groupsOf, sumOf } from '../views/groups.ts'

/** The demo wallets that each business has, and what is in them at first (docs/testing.md): plenty, but for the empty one. */
const plenty = 9_000_000_000_000_000
const emptyDemo = '22000003'
const demoPin = '1234'

/**
 * The wallets of the sandbox balance to the centime: what each began with, less the payments that intents tell of, and their refunds; the ledger
 * says the same, and nobody paid by a wrong PIN.
 */
export const walletBalances: Judge = function* (round) {
  yield* ledger(round)
  yield* balances(round)
  yield* pins(round)
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
  const isWhole = !round.dump.intents.some(round.mayBeCleaned) && !wasCleaned(round)
  for (const { _id: of, balance, current, ...wallet } of round.dump.wallets) {
    const start = startOf(wallet, started)
    const expected = start === null ? null : start + sumOf(byAccount.get(of) ?? [], movedBy)
    if (isWhole && expected !== null && balance !== expected)
      yield { of, says: `has ${balance}, and should have ${expected}` }
    if (balance < 0) yield { of, says: `has ${balance}` }
    if (current !== null && current !== undefined)
      yield { of, says: 'has a movement under way, and all was quiet' }
  }
  for (const phone of started.keys())
    if (!round.dump.wallets.some(({ _id }) => _id === phone)) yield { of: phone, says: 'is gone' }
}

/** Whether intents may be gone that were paid: by then nobody can tell what they moved. */
const wasCleaned = ({ calls, setting }: Round): boolean =>
  calls.some(({ clockAheadMs: [ahead] }) => ahead >= setting.settings.sandboxRetentionDays * 86_400_000)

function startOf(
  { phone, businessId }: Omit<WalletDocument, '_id' | 'balance' | 'current'>,
  started: Map<string, number>,
): number | null {
  if (businessId === null) return started.get(phone) ?? null
  return phone === emptyDemo ? 0 : plenty
}

/** A payment is known by the form that made it; whoever sent that form typed the right PIN at least once. */
function* pins(round: Round): Generator<Broken> {
  const forms = round.calls.filter(({ what }) => what === 'pay.confirm')
  const sent = groupsOf(forms, ({ body }) => ((body ?? {}) as { form?: string }).form?.split('.', 1)[0] ?? '')
  const { wallets, providerWallets } = round.setting
  for (const { referenceNumber: of, payment, sandbox } of round.dump.intents) {
    const typed = payment === null ? [] : (sent.get(payment.key) ?? [])
    if (typed.length === 0) continue
    const known = new Map((sandbox ? wallets : providerWallets).map(({ phone, pin }) => [phone, pin]))
    const isRight = typed.some(({ body }) => {
      const { phone = '', pin } = body as { phone?: string; pin?: string }
      return pin === (known.get(phone.replaceAll(/\D/g, '')) ?? (sandbox ? demoPin : undefined))
    })
    if (!isRight) yield { of, says: `was paid by a form (call ${typed[0]?.call}) with a wrong PIN` }
  }
}
