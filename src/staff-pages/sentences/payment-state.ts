import type { IntentStatus } from '../../../schemas/intents.ts'
import type { CancellationReason, DeclineReason, FailureReason } from '../../../schemas/payment-reasons.ts'
import type { Business } from '../../businesses/business.ts'
import type { Refund } from '../../intents/records.ts'
import type { RedactedIntent } from '../../intents/search.ts'
import type { PinRefusalReason } from '../../wallets/wallet.ts'

/** In an `unknown-…` state, the wallet hasn't reported the outcome in time. */
export type PaymentState =
  | 'unpaid'
  | 'code-expired'
  | 'suspended'
  | 'paying'
  | 'unknown-payment'
  | 'not-executed'
  | PinRefusalReason
  | DeclineReason
  | FailureReason
  | CancellationReason
  | 'paid'
  | RefundState

type RefundState = 'refunding' | 'unknown-refund' | 'refund-failed' | 'refunded-in-part' | 'refunded'

type Owner = Pick<Business, 'suspended'> | null
type StateOf = (intent: RedactedIntent, business: Owner, now: Date) => PaymentState

const states: Record<IntentStatus, StateOf> = {
  PENDING: pendingState,
  FAILED: ({ failure }) => failure?.code ?? 'technical_error',
  CANCELLED: ({ cancellationReason }) => cancellationReason ?? 'expired',
  PAID: paidState,
  REFUNDED: paidState,
}

/** `intent` must have its status at `now` (`intentAsOf`). */
export const derivePaymentState: StateOf = (intent, business, now) =>
  states[intent.status](intent, business, now)

function pendingState(
  { hold, attempts, codeExpiresAt }: RedactedIntent,
  business: Owner,
  now: Date,
): PaymentState {
  if (hold !== null) return isInTime(hold, now) ? 'paying' : 'unknown-payment'
  if (business?.suspended === true) return 'suspended'
  const last = attempts.at(-1)
  if (last !== undefined) return last.reason ?? 'not-executed'
  return codeExpiresAt > now ? 'unpaid' : 'code-expired'
}

function paidState(intent: RedactedIntent, _business: Owner, now: Date): PaymentState {
  const { refunds, refundsCommitted, payment } = intent
  const open = findOpenRefund(intent)
  if (open !== undefined) return isInTime(open, now) ? 'refunding' : 'unknown-refund'
  if (findFailedRefund(intent) !== undefined) return 'refund-failed'
  if (refunds.length === 0) return 'paid'
  return refundsCommitted >= (payment?.amountPaid ?? 0) ? 'refunded' : 'refunded-in-part'
}

/** A wallet may carry out an order this long after its `validUntil`. */
const maxClockSkewMs = 30_000

const isInTime = ({ validUntil }: { validUntil: Date }, now: Date) =>
  validUntil.getTime() + maxClockSkewMs > now.getTime()

export const findOpenRefund = ({ refunds }: RedactedIntent): Refund | undefined =>
  refunds.find(({ status }) => status === 'PENDING')

/** Undefined if a refund was created after the failed one. */
export function findFailedRefund({ attempts, refunds }: RedactedIntent) {
  const last = attempts.at(-1)
  if (last?.kind !== 'refund') return undefined
  return refunds.some(({ createdAt }) => createdAt > last.at) ? undefined : last
}
