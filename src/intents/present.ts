import type { Caller } from '../businesses/caller.ts'
import type { Config } from '../config.ts'
import { codeAnswers } from './code.ts'
import type { Intent } from './intent.ts'
import { isPending, moves } from './lifecycle.ts'
import { metadataObject } from './metadata.ts'
import type { Payment } from './payments/payment.ts'
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

/** What the response to a create shows of an intent (SPEC 4.1). */
type Created = Pick<
  Intent,
  | 'referenceNumber'
  | 'shortCode'
  | 'code'
  | 'codeExpiresAt'
  | 'amount'
  | 'amountType'
  | 'label'
  | 'sandbox'
  | 'metadata'
  | 'expiresAt'
  | 'createdAt'
>

/** The response to a create: format 1 of recall.ts, whose bytes never change. */
export function presentCreated(intent: Created, payBase: string): Record<string, unknown> {
  return {
    referenceNumber: intent.referenceNumber,
    shortCode: intent.shortCode,
    code: intent.code,
    codeExpiresAt: intent.codeExpiresAt,
    payUrl: `${payBase}/p/${intent.shortCode}`,
    amount: shownAmount(intent),
    amountType: intent.amountType,
    currency: 'MRU',
    label: intent.label,
    status: 'PENDING',
    sandbox: intent.sandbox,
    metadata: metadataObject(intent),
    expiresAt: intent.expiresAt,
    createdAt: intent.createdAt,
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
  currency: 'MRU',
  reason,
  status,
  createdAt,
})

/** Centimes that went back. */
const refundedSoFar = (refunds: readonly Refund[]): number =>
  refunds.reduce((sum, { amount, status }) => sum + (status === 'SUCCEEDED' ? amount : 0), 0)

const shownAmount = (intent: Pick<Intent, 'amount' | 'amountType'>): number | null =>
  intent.amountType === 'OPEN' ? null : intent.amount
