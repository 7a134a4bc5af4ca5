import { currencyCode } from '../../schemas/currency.ts'
import type { Caller } from '../businesses/caller.ts'
import type { Config } from '../config.ts'
import { codeAnswers } from './code.ts'
import type { Intent } from './intent.ts'
import { isPending, moves } from './lifecycle.ts'
import type { Payment } from './payments/payment.ts'
import { presentCreated } from './present-created.ts'
import type { Refund } from './refunds/refund-record.ts'

/** What tells whether time has run out. */
type Aging = Pick<Intent, 'status' | 'cancellationReason' | 'hold' | 'expiresAt' | 'updatedAt'>

/**
 * The intent as it is at `now`: one whose time is up has expired, whether or not a worker has written it down
 * yet, unless a payment is under way. The later write sets the same values. `now` is from before the intent was read: by a later
 * time it may have been paid in between.
 */
export function asOf<Seen extends Aging>(intent: Seen, now: Date): Seen {
  const { expire } = moves
  if (!isPending(intent.status) || intent.expiresAt > now || intent.hold !== null) return intent
  return {
    ...intent,
    status: expire.to,
    cancellationReason: expire.cancellationReason,
    updatedAt: expire.at(intent),
  }
}

/** Every field of SPEC 2.1, as of `now`; the code only while it answers. */
export function presentIntent(
  config: Pick<Config, 'payUrl'>,
  stored: Intent,
  now: Date,
): Record<string, unknown> {
  const intent = asOf(stored, now)
  const answers = codeAnswers(intent, now)
  const { cancellationReason, failure, refunds } = intent
  return {
    ...presentCreated(intent, config.payUrl),
    status: intent.status,
    code: answers ? intent.code : null,
    codeExpiresAt: answers ? intent.codeExpiresAt : null,
    type: 'API',
    payment: intent.payment === null ? null : presentPayment(intent.payment),
    refunds: refunds.map(presentRefund),
    totalAmountRefunded: refundedSoFar(refunds),
    updatedAt: intent.updatedAt,
    ...(cancellationReason === null ? {} : { cancellationReason }),
    ...(failure !== null
      ? { failure: { code: failure.code, retryable: failure.retryable && isPending(intent.status) } }
      : {}),
  }
}

/** The same for a key: a publishable one is in the shop's page, and what a refund was for is between the merchant and us. */
export function presentFor(
  { kind }: Pick<Caller, 'kind'>,
  config: Pick<Config, 'payUrl'>,
  stored: Intent,
  now: Date,
): Record<string, unknown> {
  if (kind === 'secret') return presentIntent(config, stored, now)
  const refunds = stored.refunds.map((refund) => ({ ...refund, reason: null }))
  return presentIntent(config, { ...stored, refunds }, now)
}

const presentPayment = ({ amountPaid, paidAt, method }: Payment) => ({ amountPaid, paidAt, method })

/** A refund as merchants see it; PENDING as long as nobody knows whether the money went back. */
export const presentRefund = ({ id, amount, reason, status, createdAt }: Refund) => ({
  id,
  amount,
  currency: currencyCode,
  reason,
  status,
  createdAt,
})

/** Centimes that went back. */
const refundedSoFar = (refunds: readonly Refund[]): number =>
  refunds.reduce((sum, { amount, status }) => sum + (status === 'SUCCEEDED' ? amount : 0), 0)
