import type { IntentStatus } from '../../schemas/intents.ts'
import type { CancellationReason, DeclineReason, FailureReason } from '../../schemas/payment-reasons.ts'
import { requestMarkFields } from '../idempotency/request.ts'
import {
  type CollectionDeclaration,
  declareCollection,
  indexIfPresent,
  type Stored,
} from '../mongo/declare.ts'
import * as field from '../mongo/fields.ts'
import { outboxFields, outboxIndex, paymentFailureFields } from '../outbox/event.ts'
import { returnedFeesFields } from '../wallets/commission.ts'
import { holdFields, paymentAttemptFields, paymentFields, refundFields } from './records.ts'

export const referenceIndexName = 'referenceInUse'
export const createKeyIndexName = 'requestKey'

const intentIndexes: CollectionDeclaration['indexes'] = [
  { name: 'referenceNumber', key: { referenceNumber: 1 }, unique: true },
  { name: 'shortCode', key: { shortCode: 1 }, unique: true },
  {
    name: createKeyIndexName,
    key: { 'requestKey.key': 1 },
    unique: true,
    ...indexIfPresent('requestKey.key'),
  },
  { name: 'codeInUse', key: { codeKey: 1 }, unique: true, ...indexIfPresent('codeKey') },
  // The next two indexes contain only intents with a reference.
  { name: referenceIndexName, key: { referenceKey: 1 }, unique: true, ...indexIfPresent('referenceKey') },
  // Contains all fields by which a list can be filtered together with a reference.
  {
    name: 'byMerchantReference',
    key: { merchantReference: 1, businessId: 1, sandbox: 1, createdAt: -1, _id: -1, status: 1, cancelsAt: 1 },
    partialFilterExpression: { merchantReference: { $gt: '' } },
  },
  // Lets the quota count a business's live codes without reading documents.
  {
    name: 'liveCodes',
    key: { businessId: 1, codeReusableAt: 1, codeKey: 1 },
    partialFilterExpression: { codeKey: { $gte: 'live:', $lt: 'live;' } },
  },
  // The next two indexes end with `listedAmount`: an index of its own would make creates about 50 % slower.
  { name: 'byTime', key: { businessId: 1, sandbox: 1, createdAt: -1, _id: -1, listedAmount: 1 } },
  // `cancelsAt` lets a list of PENDING or CANCELLED intents read only the documents that it contains.
  {
    name: 'byStatus',
    key: { businessId: 1, sandbox: 1, status: 1, createdAt: -1, _id: -1, cancelsAt: 1, listedAmount: 1 },
  },
  // The next two indexes contain all fields that their lists filter and sort by, but no new intents. `count`
  // comes first, because only an intent with several refunds can have some inside and some outside a span.
  {
    name: 'byPaidAt',
    key: { businessId: 1, sandbox: 1, 'payment.paidAt': -1, createdAt: -1, _id: -1, status: 1 },
    ...indexIfPresent('payment.paidAt'),
  },
  {
    name: 'byRefundTimes',
    key: {
      businessId: 1,
      sandbox: 1,
      'refundTimes.count': 1,
      'refundTimes.lastAt': -1,
      'refundTimes.firstAt': -1,
      createdAt: -1,
      _id: -1,
      status: 1,
    },
    ...indexIfPresent('refundTimes.lastAt'),
  },
  { name: 'byCancelsAt', key: { businessId: 1, sandbox: 1, cancelsAt: 1 } },
  // `businessId` lets a poll skip the documents of a business that has had its share.
  { name: 'expiring', key: { cancelsAt: 1, businessId: 1 }, partialFilterExpression: { status: 'PENDING' } },
  { name: 'paymentToQuery', key: { 'hold.queryAt': 1, businessId: 1 }, ...indexIfPresent('hold.queryAt') },
  {
    name: 'refundToQuery',
    key: { 'refunds.queryAt': 1, businessId: 1 },
    ...indexIfPresent('refunds.queryAt'),
  },
  // Staff search by the next two indexes. New intents are in neither, so creates stay fast.
  { name: 'byLookUpKey', key: { lookUpKeys: 1, createdAt: -1 }, ...indexIfPresent('lookUpKeys') },
  { name: 'byFormerCode', key: { formerCodeKey: 1, codeReusableAt: -1 }, ...indexIfPresent('formerCodeKey') },
  {
    name: 'byRefundedAt',
    key: { businessId: 1, sandbox: 1, 'refunds.refundedAt': 1 },
    ...indexIfPresent('refunds.refundedAt'),
  },
  outboxIndex,
]

type AmountType = 'FIXED' | 'OPEN'

const requestedFields = field.part({
  amountType: field.oneOf<AmountType>(),
  /** In centimes. For an OPEN intent, it's null or a suggested amount that responses don't contain. */
  amount: field.orNull(field.whole),
  label: field.orNull(field.text),
  merchantReference: field.orNull(field.text),
  /** This isn't an object, because keys may contain dots or begin with `$`. */
  metadata: field.list(field.part({ key: field.text, value: field.text })),
  successUrl: field.orNull(field.text),
  cancelUrl: field.orNull(field.text),
})
export type IntentInput = field.ValueOfField<typeof requestedFields>

/** A request mark, with what the response needs besides the intent. */
const intentMarkFields = field.part({
  ...requestMarkFields.fields,
  /** Distinguishes the marks of concurrent requests that have the same key. */
  id: field.text,
  refundId: field.optional(field.text),
  payment: field.optional(
    field.part({
      failure: field.orNull(
        field.part({
          code: field.orNull(field.oneOf<DeclineReason | FailureReason>()),
          retryable: field.flag,
        }),
      ),
    }),
  ),
})
export type UsedKey = field.ValueOfField<typeof intentMarkFields>

export const intents = declareCollection({
  name: 'intents',
  kept: 'test data until the clean-up, live data forever',
  fields: {
    _id: field.text,
    businessId: field.text,
    sandbox: field.flag,
    referenceNumber: field.text,
    shortCode: field.text,
    code: field.text,
    codeExpiresAt: field.date,
    /** Becomes `formerCodeKey` once the code is reusable and another intent draws it. */
    codeKey: field.optional(field.text),
    formerCodeKey: field.optional(field.text),
    codeReusableAt: field.date,
    ...requestedFields.fields,
    /** Lists filter by this, in centimes. Null for an unpaid OPEN intent, which has only a suggestion. */
    listedAmount: field.orNull(field.whole),
    /** Removed once the intent is CANCELLED or FAILED, because a new intent may then use the reference. */
    referenceKey: field.optional(field.text),
    status: field.oneOf<IntentStatus>(),
    cancellationReason: field.orNull(field.oneOf<CancellationReason>()),
    payment: field.orNull(paymentFields),
    hold: field.orNull(holdFields),
    failure: field.orNull(paymentFailureFields),
    /** Contains only the latest attempts, in the order in which they ended. */
    attempts: field.list(paymentAttemptFields),
    refunds: field.list(refundFields),
    lookUpKeys: field.optional(field.list(field.text)),
    /** In centimes. Includes PENDING refunds, and never exceeds the amount paid. */
    refundsCommitted: field.whole,
    /** Includes PENDING refunds, and never exceeds the payment's fees. */
    feesReturned: returnedFeesFields,
    refundTimes: field.optional(field.part({ firstAt: field.date, lastAt: field.date, count: field.whole })),
    expiresAt: field.date,
    /**
     * From this time on, the intent is shown as CANCELLED, even before a worker writes that status. So one
     * index range contains all intents shown as CANCELLED. Changes only with `status` or `hold`:
     * - PENDING: `expiresAt`, or `neverCancelsAt` while a payment holds the intent.
     * - CANCELLED: `alreadyCancelledAt`.
     * - Any other status: null.
     */
    cancelsAt: field.orNull(field.date),
    createdAt: field.date,
    updatedAt: field.date,
    /** Each event is added in the same write as the change that it reports, and removed once it's relayed. */
    outbox: field.list(outboxFields),
    /** Marks the create request. Removed after 24 hours if a new request has the same key. */
    requestKey: field.optional(requestMarkFields),
    /** Requests that have changed the intent, and forms that have begun a payment (only `key` and `at`). */
    marks: field.list(intentMarkFields),
    /** PAY_URL when the intent was created, to repeat the same create response. */
    payBase: field.text,
    responseFormat: field.whole,
    /** Set when the clean-up begins to remove the intent. The merchant can no longer see or change it. */
    cleanedAt: field.optional(field.date),
  },
  indexes: intentIndexes,
})
export type Intent = Stored<typeof intents>

/** Reading a thousand refunds (1 MB) would block the process for 5 ms, so most operations leave them out. */
export type IntentWithoutRefunds = Omit<Intent, 'refunds'>

/** Even `__proto__` becomes an ordinary key. */
export const metadataToObject = (intent: Pick<Intent, 'metadata'>): Record<string, string> =>
  Object.fromEntries(intent.metadata.map(({ key, value }) => [key, value]))
