import type { Deps } from '../deps.ts'
import { noHurry } from '../group-commit.ts'
import { outcomeOf } from '../wallets/ask.ts'
import type { KnownOutcome, Question, WalletName, WalletOutcome } from '../wallets/wallet.ts'
import type { Intent } from './intent.ts'
import { settlePayment } from './payments/settle.ts'
import { askPaymentAt } from './payments/under-way.ts'
import { settleRefund } from './refunds/settle.ts'
import { askRefundAt } from './refunds/under-way.ts'

/** Asked again after a quarter of the time that it has been unknown for, within these. */
const soonestMs = 1000
const latestMs = 60_000

/**
 * How asking went. `nothing-to-ask`: it has ended. `nextAt`: it was too early, or nobody can tell yet and `why`; it shall be asked then.
 */
export interface Asked {
  outcome: WalletOutcome['outcome'] | 'nothing-to-ask' | 'not-due'
  why: string | null
  nextAt: Date | null
}

/** A payment or a refund of which nobody knows what became of it, and what to do about it. */
interface Open {
  wallet: WalletName
  question: Question
  since: Date
  askAt: Date
  settle(outcome: KnownOutcome): Promise<Intent | null>
  askAgainAt(at: Date): Promise<void>
}

/**
 * Asks the wallet what became of the payment or refund of this key, if it is time, and ends it when that is known. Twice, or in
 * two processes at once: it ends once.
 */
export async function askWallet(deps: Deps, intentId: string, key: string): Promise<Asked> {
  const intent = await deps.Intent.findById(intentId).lean<Intent | null>()
  const open = intent === null ? null : (openPayment(deps, intent, key) ?? openRefund(deps, intent, key))
  if (open === null) return { outcome: 'nothing-to-ask', why: null, nextAt: null }
  if (open.askAt > deps.now()) return { outcome: 'not-due', why: null, nextAt: open.askAt }
  const { wallet, question } = open
  const outcome = await outcomeOf(
    () => deps.wallets.named(wallet).status(question),
    deps.config.walletTimeoutMs,
  )
  if (outcome.outcome !== 'unknown') {
    await open.settle(outcome)
    return { outcome: outcome.outcome, why: null, nextAt: null }
  }
  const nextAt = nextAsk(deps, open.since)
  await open.askAgainAt(nextAt)
  return { outcome: 'unknown', why: outcome.why, nextAt }
}

function openPayment(deps: Deps, intent: Intent, key: string): Open | null {
  const payment = intent.underWay
  if (payment?.id !== key) return null
  const { wallet, amount, startedAt, validUntil, askAt } = payment
  return {
    wallet,
    question: { kind: 'payment', key, amount, validUntil },
    since: startedAt,
    askAt,
    settle: (outcome) => settlePayment(deps, intent, payment, outcome, noHurry),
    askAgainAt: (at) => askPaymentAt(deps, intent, key, at),
  }
}

function openRefund(deps: Deps, intent: Intent, key: string): Open | null {
  const refund = intent.refunds.find(({ id, status }) => id === key && status === 'PENDING')
  if (refund === undefined || intent.payment === null) return null
  const { amount, createdAt, validUntil, askAt } = refund
  return {
    wallet: intent.payment.wallet,
    question: { kind: 'refund', key, amount, validUntil },
    since: createdAt,
    askAt: askAt ?? validUntil,
    settle: (outcome) => settleRefund(deps, intent, refund, outcome),
    askAgainAt: (at) => askRefundAt(deps, intent, key, at),
  }
}

function nextAsk(deps: Pick<Deps, 'now'>, since: Date): Date {
  const now = deps.now().getTime()
  const waitMs = Math.min(latestMs, Math.max(soonestMs, (now - since.getTime()) / 4))
  return new Date(now + waitMs)
}

/** The job that asks about one payment or refund. The wallet's key as id: a second add is a no-op. */
export const walletOutcomeJob = (intentId: string, key: string, at: Date, now: Date) => ({
  data: { intentId },
  jobId: key,
  delayMs: Math.max(0, at.getTime() - now.getTime()),
})

/** Wakes a worker that asks the wallet. Lost, the sweep finds it. */
export const nudgeWalletOutcome = (
  deps: Pick<Deps, 'nudge' | 'now'>,
  intent: Pick<Intent, '_id'>,
  key: string,
  at: Date,
): void => deps.nudge('wallet-outcome', [walletOutcomeJob(intent._id, key, at, deps.now())])
