import type { Deps } from '../deps.ts'
import { outcomeOf } from '../wallets/ask.ts'
import type { WalletName, WalletOutcome } from '../wallets/wallet.ts'
import type { Intent, PaymentUnderWay, Refund } from './intent.ts'
import { settlePayment } from './payments/settle.ts'
import { askPaymentAt } from './payments/under-way.ts'
import { settleRefund } from './refunds/settle.ts'
import { askRefundAt } from './refunds/under-way.ts'

/** Asked again after a quarter of the time that it has been unknown for, within these. */
const soonestMs = 1000
const latestMs = 60_000

/** How asking went. `nextAt`: something is unknown still, and shall be asked then. */
export interface Asked {
  settled: number
  nextAt: Date | null
}

/**
 * Asks the wallet what became of an intent's payment and refunds whose outcome nobody knows, as far as it is time, and ends those
 * that it knows. Twice, or in two processes at once: each ends once.
 */
export async function askWallets(deps: Deps, intentId: string): Promise<Asked> {
  const intent = await deps.Intent.findById(intentId).lean<Intent | null>()
  if (intent === null) return { settled: 0, nextAt: null }
  const asked = await Promise.all([
    ...(intent.underWay === null ? [] : [askOfPayment(deps, intent, intent.underWay)]),
    ...intent.refunds
      .filter(({ status }) => status === 'PENDING')
      .map((refund) => askOfRefund(deps, intent, refund)),
  ])
  const open = asked.filter((at) => at !== null).toSorted((a, b) => a.getTime() - b.getTime())
  return { settled: asked.length - open.length, nextAt: open[0] ?? null }
}

/** Null when it is settled, else when to ask again. */
async function askOfPayment(deps: Deps, intent: Intent, payment: PaymentUnderWay): Promise<Date | null> {
  const { id: key, startedAt, validUntil, askAt, wallet } = payment
  if (askAt > deps.now()) return askAt
  const outcome = await ask(deps, wallet, { kind: 'payment', key, validUntil })
  if (outcome.outcome !== 'unknown') {
    await settlePayment(deps, intent, payment, outcome)
    return null
  }
  const next = nextAsk(deps, startedAt)
  await askPaymentAt(deps, intent, key, next)
  return next
}

async function askOfRefund(deps: Deps, intent: Intent, refund: Refund): Promise<Date | null> {
  const { id: key, createdAt, validUntil, askAt } = refund
  if (askAt !== undefined && askAt > deps.now()) return askAt
  const outcome = await ask(deps, intent.payment?.wallet ?? 'simulation', { kind: 'refund', key, validUntil })
  if (outcome.outcome !== 'unknown') {
    await settleRefund(deps, intent, refund, outcome)
    return null
  }
  const next = nextAsk(deps, createdAt)
  await askRefundAt(deps, intent, key, next)
  return next
}

const ask = (
  deps: Deps,
  wallet: WalletName,
  question: { kind: 'payment' | 'refund'; key: string; validUntil: Date },
): Promise<WalletOutcome> =>
  outcomeOf(() => deps.wallets.named(wallet).status(question), deps.config.walletTimeoutMs)

function nextAsk(deps: Pick<Deps, 'now'>, since: Date): Date {
  const now = deps.now().getTime()
  const waitMs = Math.min(latestMs, Math.max(soonestMs, (now - since.getTime()) / 4))
  return new Date(now + waitMs)
}

/** The job that asks about an intent. One at a time: a second add is a no-op. */
export const walletOutcomeJob = (intentId: string, at: Date, now: Date) => ({
  data: { intentId },
  jobId: intentId,
  delayMs: Math.max(0, at.getTime() - now.getTime()),
})

/** Wakes a worker that asks the wallet. Lost, the sweep finds it. */
export const nudgeWalletOutcome = (
  deps: Pick<Deps, 'nudge' | 'now'>,
  intent: Pick<Intent, '_id'>,
  at: Date,
): void => deps.nudge('wallet-outcome', [walletOutcomeJob(intent._id, at, deps.now())])
