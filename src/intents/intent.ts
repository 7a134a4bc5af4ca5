import type { Status } from '../../schemas/list-intents.ts'
import type { Collection } from '../collection.ts'
import type { Commission } from '../wallets/commission.ts'
import type { DeclineReason, FailureReason, RefusalReason, WalletName } from '../wallets/wallet.ts'
import type { OutboxEvent } from '../webhooks/event.ts'
import { outboxFields, outboxIndex } from '../webhooks/event.ts'

export type AmountType = 'FIXED' | 'OPEN'
export type CancellationReason = 'requested_by_merchant' | 'expired'

/** A payment: what was paid (centimes), when, how and by whom (masked: `22******45`), and what it earns. */
export interface Payment {
  amountPaid: number
  paidAt: Date
  method: 'WALLET'
  payerPhone: string
  commission: Commission
  wallet: WalletName
  /** The key under which the wallet knows it. */
  key: string
}

/**
 * A payment between the call of the wallet and its outcome. While it stands nobody else pays, cancels or expires the intent.
 * `id` is the wallet's idempotency key; `askAt`: when the wallet shall be asked what became of it.
 */
export interface PaymentUnderWay {
  id: string
  wallet: WalletName
  /** Centimes. */
  amount: number
  payerPhone: string
  startedAt: Date
  /** The wallet must not carry it out later. */
  validUntil: Date
  askAt: Date
  /** Fresh with each try to begin, so that each knows its own: the same form may be sent twice at once. */
  mark: string
}

/**
 * A payment that came to an end, whatever it was; for support staff, and so that no form is carried out twice. Also a refund that was
 * not made, for support staff alone: `id` is the refund's.
 */
export interface PaymentAttempt {
  kind: 'payment' | 'refund'
  id: string
  at: Date
  amount: number
  payerPhone: string
  outcome: 'done' | 'refused' | 'declined' | 'failed' | 'not-executed'
  reason: RefusalReason | DeclineReason | FailureReason | null
  /** Fresh with each try to write its end down, so that each knows its own. */
  mark: string
}

/** Why the last payment did not succeed. Retryable: the intent is still PENDING, and the customer may try again. */
export interface PaymentFailure {
  code: DeclineReason | FailureReason
  retryable: boolean
}

/**
 * A refund. `id` (`RF-…`) is also the wallet's idempotency key. PENDING between the call of the wallet and its outcome; one that
 * was refused is taken out again.
 */
export interface Refund {
  id: string
  /** Centimes. */
  amount: number
  reason: string | null
  status: 'PENDING' | 'SUCCEEDED'
  /** Of the request that asked for it. */
  effectId: string
  createdAt: Date
  validUntil: Date
  /** When the wallet shall be asked; only while PENDING. */
  askAt?: Date
}

/** A payment intent as stored (SPEC 2.1). `_id` is the effect id of the idempotency claim that created it. */
export interface Intent {
  _id: string
  businessId: string
  sandbox: boolean
  referenceNumber: string
  shortCode: string
  /** The code as shown to the merchant; what makes it answer is `codeKey`. */
  code: string
  codeExpiresAt: Date
  /** `live:<code>` or `test:<businessId>:<code>`, unique; gone once `codeReusableAt` is past and somebody looked. */
  codeKey?: string
  codeReusableAt: Date
  amountType: AmountType
  /** Centimes. For OPEN a suggestion that no answer shows, or null. */
  amount: number | null
  label: string | null
  /** Pairs, because a merchant's key may be `a.b` or `$x`. */
  metadata: { key: string; value: string }[]
  successUrl: string | null
  cancelUrl: string | null
  status: Status
  cancellationReason: CancellationReason | null
  payment: Payment | null
  underWay: PaymentUnderWay | null
  failure: PaymentFailure | null
  /** The last of them, the newest at the end. */
  attempts: PaymentAttempt[]
  refunds: Refund[]
  /** Centimes of all its refunds, PENDING ones included: never more than was paid. */
  refundsCommitted: number
  expiresAt: Date
  createdAt: Date
  updatedAt: Date
  /** Events whose deliveries are not made yet, in the same write as the change they tell of. */
  outbox: OutboxEvent[]
  /** Effect ids of the changes made, so that a retry finds its own. */
  effects: string[]
  /** The sealed first answer of the create, for replay. */
  answer: string
}

const paymentFields = {
  _id: false,
  amountPaid: Number,
  paidAt: Date,
  method: String,
  payerPhone: String,
  commission: {
    _id: false,
    providerTtc: Number,
    payerTtc: Number,
    tof: Number,
    tte: Number,
    totalRevenue: Number,
  },
  wallet: String,
  key: String,
}

const underWayFields = {
  _id: false,
  id: String,
  wallet: String,
  amount: Number,
  payerPhone: String,
  startedAt: Date,
  validUntil: Date,
  askAt: Date,
  mark: String,
}

const attemptFields = {
  _id: false,
  kind: String,
  id: String,
  at: Date,
  amount: Number,
  payerPhone: String,
  outcome: String,
  reason: String,
  mark: String,
}

const refundFields = {
  _id: false,
  id: String,
  amount: Number,
  reason: String,
  status: String,
  effectId: String,
  createdAt: Date,
  validUntil: Date,
  askAt: Date,
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
    underWay: { type: underWayFields, default: null },
    failure: { type: { _id: false, code: String, retryable: Boolean }, default: null },
    attempts: [attemptFields],
    refunds: [refundFields],
    refundsCommitted: Number,
    expiresAt: Date,
    createdAt: Date,
    updatedAt: Date,
    outbox: outboxFields,
    effects: [String],
    answer: String,
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
    { name: 'byTime', key: { businessId: 1, sandbox: 1, createdAt: -1, _id: -1 } },
    { name: 'byStatus', key: { businessId: 1, sandbox: 1, status: 1, createdAt: -1, _id: -1 } },
    { name: 'expiring', key: { expiresAt: 1 }, partialFilterExpression: { status: 'PENDING' } },
    outboxIndex,
    {
      name: 'paymentToAsk',
      key: { 'underWay.askAt': 1 },
      partialFilterExpression: { 'underWay.askAt': { $exists: true } },
    },
    {
      name: 'refundToAsk',
      key: { 'refunds.askAt': 1 },
      partialFilterExpression: { 'refunds.askAt': { $exists: true } },
    },
  ],
  retiredIndexes: ['codeKey', 'outbox'],
  backfill: {
    missing: 'refunds',
    set: { underWay: null, failure: null, attempts: [], refunds: [], refundsCommitted: 0 },
  },
}
