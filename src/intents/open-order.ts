import type { Deps } from '../deps.ts'
import { noHurry } from '../mongo/batching/batcher.ts'
import type { Cause } from '../outbox/event.ts'
import type { KnownOutcome, StatusQuery, WalletName } from '../wallets/wallet.ts'
import type { Intent } from './intent.ts'
import { askPaymentAt } from './payments/hold.ts'
import type { Payment, PaymentHold } from './payments/payment.ts'
import { settlePayment } from './payments/settle.ts'
import { askRefundAt } from './refunds/hold.ts'
import type { Refund } from './refunds/refund-record.ts'
import { settleRefund } from './refunds/settle.ts'

/** A payment or a refund of which it is not known what became of it, and what to do about it. */
export interface OpenOrder {
  intent: Intent
  wallet: WalletName
  question: StatusQuery
  since: Date
  askAt: Date
  /** `cause`: the request that asked the wallet; null of a job. */
  settle(outcome: KnownOutcome, cause: Cause | null): Promise<Intent | null>
  askAgainAt(at: Date): Promise<void>
}

export function openPayment(deps: Deps, intent: Intent, payment: PaymentHold): OpenOrder {
  const { id: key, wallet, amount, startedAt, validUntil, askAt } = payment
  return {
    intent,
    wallet,
    question: { kind: 'payment', businessId: intent.businessId, key, amount, validUntil },
    since: startedAt,
    askAt,
    settle: (outcome, cause) => settlePayment(deps, intent, payment, outcome, { cause, deadlineAt: noHurry }),
    askAgainAt: (at) => askPaymentAt(deps, intent, key, at),
  }
}

/** `payment`: the one whose money the refund gives back. */
export function openRefund(
  deps: Deps,
  intent: Intent,
  { wallet }: Pick<Payment, 'wallet'>,
  refund: Refund,
): OpenOrder {
  const { id: key, amount, createdAt, validUntil, askAt } = refund
  return {
    intent,
    wallet,
    question: { kind: 'refund', businessId: intent.businessId, key, amount, validUntil },
    since: createdAt,
    askAt: askAt ?? validUntil,
    settle: (outcome, cause) => settleRefund(deps, intent, refund, outcome, cause),
    askAgainAt: (at) => askRefundAt(deps, intent, key, at),
  }
}

/** The payment or refund of this key, as long as it is open. */
export function findOpen(deps: Deps, intent: Intent, key: string): OpenOrder | null {
  const { hold, payment, refunds } = intent
  if (hold?.id === key) return openPayment(deps, intent, hold)
  const refund = refunds.find(({ id, status }) => id === key && status === 'PENDING')
  return refund === undefined || payment === null ? null : openRefund(deps, intent, payment, refund)
}
