import type { Status } from '../../schemas/list-intents.ts'
import type { CancellationReason } from '../../schemas/payment-reasons.ts'
import type { Collection } from '../mongo/collection.ts'
import type { OutboxEvent } from '../outbox/event.ts'
import { outboxFields, outboxIndex } from '../outbox/event.ts'
import type { Payment, PaymentAttempt, PaymentFailure, PaymentHold } from './payments/payment.ts'
import { attemptFields, failureFields, holdFields, paymentFields } from './payments/payment.ts'
import { type Refund, refundFields } from './refunds/refund-record.ts'

export type AmountType = 'FIXED' | 'OPEN'

/** A payment intent as stored (SPEC 2.1). `_id` is the effect id of the idempotency claim that created it. */
export interface Intent {
  _id: string
  businessId: string
  sandbox: boolean
  referenceNumber: string
  shortCode: string
  /** The code as shown to the merchant. Lookups by code use `codeKey`. */
  code: string
  codeExpiresAt: Date
  /** `live:<code>` or `test:<businessId>:<code>`, unique. Removed when another intent draws the reusable code. */
  codeKey?: string
  codeReusableAt: Date
  amountType: AmountType
  /** Centimes. For an OPEN intent, this is a suggestion that no response contains, or null. */
  amount: number | null
  label: string | null
  /** Stored as pairs, because a key may be `a.b` or `$x`. */
  metadata: { key: string; value: string }[]
  successUrl: string | null
  cancelUrl: string | null
  status: Status
  cancellationReason: CancellationReason | null
  payment: Payment | null
  hold: PaymentHold | null
  failure: PaymentFailure | null
  /** The latest attempts, newest last. */
  attempts: PaymentAttempt[]
  refunds: Refund[]
  /** The sum of all refunds in centimes, including PENDING ones. Never more than the amount paid. */
  refundsCommitted: number
  expiresAt: Date
  /**
   * The time from which the intent reads as CANCELLED, even before a worker writes that status. One index range
   * therefore counts the intents that read as PENDING, and another range counts those that read as CANCELLED. PENDING:
   * `expiresAt`, or `neverCancels` while a payment holds the intent. CANCELLED: `alreadyCancelled`. Any other status:
   * null. Written only together with `status` and `hold`.
   */
  cancelsAt: Date | null
  createdAt: Date
  updatedAt: Date
  /**
   * Events that have not become deliveries yet. Each event is added in the same write as the change that it reports.
   */
  outbox: OutboxEvent[]
  /** The effect ids of the intent's changes, so that a retry finds the change that the first request made. */
  effects: string[]
  /** PAY_URL when the intent was created. The `payUrl` in that response begins with it. */
  payBase: string
  /** The format in which a retry computes the response to the create request (idempotency/recall.ts). */
  responseFormat: number
  /** From this time on, the clean-up removes the intent, and its merchant can neither see nor change it. */
  cleanedAt?: Date
}

export const intents: Collection = {
  name: 'intents',
  fields: {
    _id: String,
    businessId: String,
    sandbox: Boolean,
    referenceNumber: String,
    shortCode: String,
    code: String,
    codeExpiresAt: Date,
    codeKey: String,
    codeReusableAt: Date,
    amountType: String,
    amount: Number,
    label: String,
    metadata: [{ _id: false, key: String, value: String }],
    successUrl: String,
    cancelUrl: String,
    status: String,
    cancellationReason: String,
    payment: { type: paymentFields, default: null },
    hold: { type: holdFields, default: null },
    failure: { type: failureFields, default: null },
    attempts: [attemptFields],
    refunds: [refundFields],
    refundsCommitted: Number,
    expiresAt: Date,
    cancelsAt: Date,
    createdAt: Date,
    updatedAt: Date,
    outbox: outboxFields,
    effects: [String],
    payBase: String,
    responseFormat: Number,
    cleanedAt: Date,
  },
  indexes: [
    { name: 'referenceNumber', key: { referenceNumber: 1 }, unique: true },
    { name: 'shortCode', key: { shortCode: 1 }, unique: true },
    {
      name: 'codeInUse',
      key: { codeKey: 1 },
      unique: true,
      partialFilterExpression: { codeKey: { $exists: true } },
    },
    // For the quota of live codes, so that they are counted without reading documents. Does not contain test codes.
    {
      name: 'liveCodes',
      key: { businessId: 1, codeReusableAt: 1, codeKey: 1 },
      partialFilterExpression: { codeKey: { $gte: 'live:', $lt: 'live;' } },
    },
    { name: 'byTime', key: { businessId: 1, sandbox: 1, createdAt: -1, _id: -1 } },
    // Contains `cancelsAt`, so that a list of PENDING or CANCELLED intents in a time range reads no documents except
    // those that it lists.
    { name: 'byStatus', key: { businessId: 1, sandbox: 1, status: 1, createdAt: -1, _id: -1, cancelsAt: 1 } },
    { name: 'byCancelsAt', key: { businessId: 1, sandbox: 1, cancelsAt: 1 } },
    // The following indexes contain `businessId`, so that a poll reads no documents of a business that has already had
    // its share.
    {
      name: 'expiring',
      key: { cancelsAt: 1, businessId: 1 },
      partialFilterExpression: { status: 'PENDING' },
    },
    {
      name: 'paymentToQuery',
      key: { 'hold.queryAt': 1, businessId: 1 },
      partialFilterExpression: { 'hold.queryAt': { $exists: true } },
    },
    {
      name: 'refundToQuery',
      key: { 'refunds.queryAt': 1, businessId: 1 },
      partialFilterExpression: { 'refunds.queryAt': { $exists: true } },
    },
    outboxIndex,
  ],
}
