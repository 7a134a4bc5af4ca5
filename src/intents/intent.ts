import type { Status } from '../../schemas/list-intents.ts'
import type { Collection } from '../collection.ts'
import type { OutboxEvent } from '../webhooks/event.ts'
import { outboxFields, outboxIndex } from '../webhooks/event.ts'

export type AmountType = 'FIXED' | 'OPEN'
export type CancellationReason = 'requested_by_merchant' | 'expired'

/** A payment: what was paid (centimes), when, and how. */
export interface Payment {
  amountPaid: number
  paidAt: Date
  method: string
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
    payment: { type: { _id: false, amountPaid: Number, paidAt: Date, method: String }, default: null },
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
  ],
  retiredIndexes: ['codeKey', 'outbox'],
}
