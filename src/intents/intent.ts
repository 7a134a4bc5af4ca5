import type { Status } from '../../schemas/intents.ts'
import type { CancellationReason, DeclineReason, FailureReason } from '../../schemas/payment-reasons.ts'
import { markFields } from '../idempotency/response.ts'
import { type CollectionDeclaration, declareCollection, ifPresent, type Stored } from '../mongo/declare.ts'
import { date, flag, list, type Of, oneOf, optional, orNull, part, text, whole } from '../mongo/fields.ts'
import { outboxFields, outboxIndex } from '../outbox/event.ts'
import { failureFields } from '../outbox/facts.ts'
import { returnedFeesFields } from '../wallets/commission.ts'
import { attemptFields, holdFields, paymentFields, refundFields } from './records.ts'

/** The name of the unique index on `referenceKey`. */
export const referenceIndex = 'referenceInUse'
/** The name of the unique index on the key of the request that created an intent. */
export const requestIndex = 'requestKey'

/** The indexes of the collection of intents. */
const intentIndexes: CollectionDeclaration['indexes'] = [
  { name: 'referenceNumber', key: { referenceNumber: 1 }, unique: true },
  { name: 'shortCode', key: { shortCode: 1 }, unique: true },
  { name: requestIndex, key: { 'requestKey.key': 1 }, unique: true, ...ifPresent('requestKey.key') },
  { name: 'codeInUse', key: { codeKey: 1 }, unique: true, ...ifPresent('codeKey') },
  // Intents without a merchant's reference are in neither of the following two indexes.
  { name: referenceIndex, key: { referenceKey: 1 }, unique: true, ...ifPresent('referenceKey') },
  // This index contains all fields by which a list can be filtered together with a reference.
  {
    name: 'byMerchantReference',
    key: { merchantReference: 1, businessId: 1, sandbox: 1, createdAt: -1, _id: -1, status: 1, cancelsAt: 1 },
    partialFilterExpression: { merchantReference: { $gt: '' } },
  },
  // With this index, the quota counts a business's live codes without reading documents. The index does not contain
  // test codes.
  {
    name: 'liveCodes',
    key: { businessId: 1, codeReusableAt: 1, codeKey: 1 },
    partialFilterExpression: { codeKey: { $gte: 'live:', $lt: 'live;' } },
  },
  // The following two indexes end with `listedAmount`, so that lists and staff can filter by amount without reading
  // other documents. An index of its own on the amount would make create requests about 50 % slower.
  { name: 'byTime', key: { businessId: 1, sandbox: 1, createdAt: -1, _id: -1, listedAmount: 1 } },
  // This index contains `cancelsAt`, so that a list of PENDING or CANCELLED intents in a time range reads only the
  // documents that the list contains.
  {
    name: 'byStatus',
    key: { businessId: 1, sandbox: 1, status: 1, createdAt: -1, _id: -1, cancelsAt: 1, listedAmount: 1 },
  },
  // A new intent is in neither of the following two indexes. Each contains every field by which its list filters and
  // sorts (list.ts). In `byRefundTimes`, the number of refunds comes before their times, because only an intent
  // with several refunds can have refunds inside and outside a span. A reconciliation reads the payments of a day with
  // `byPaidAt`.
  {
    name: 'byPaidAt',
    key: { businessId: 1, sandbox: 1, 'payment.paidAt': -1, createdAt: -1, _id: -1, status: 1 },
    ...ifPresent('payment.paidAt'),
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
    ...ifPresent('refundTimes.lastAt'),
  },
  { name: 'byCancelsAt', key: { businessId: 1, sandbox: 1, cancelsAt: 1 } },
  // The following indexes contain `businessId`, so that a poll does not read the documents of a business that has
  // already received its share.
  { name: 'expiring', key: { cancelsAt: 1, businessId: 1 }, partialFilterExpression: { status: 'PENDING' } },
  { name: 'paymentToQuery', key: { 'hold.queryAt': 1, businessId: 1 }, ...ifPresent('hold.queryAt') },
  { name: 'refundToQuery', key: { 'refunds.queryAt': 1, businessId: 1 }, ...ifPresent('refunds.queryAt') },
  // The following two indexes are for searches by staff. A reconciliation finds the keys of other days with
  // `byLookUpKey`. A new intent is in neither index, so they do not slow down create requests.
  { name: 'byLookUpKey', key: { lookUpKeys: 1, createdAt: -1 }, ...ifPresent('lookUpKeys') },
  { name: 'byFormerCode', key: { formerCodeKey: 1, codeReusableAt: -1 }, ...ifPresent('formerCodeKey') },
  // This index contains only refunded intents. A reconciliation reads the refunds of a day with it.
  {
    name: 'byRefundedAt',
    key: { businessId: 1, sandbox: 1, 'refunds.refundedAt': 1 },
    ...ifPresent('refunds.refundedAt'),
  },
  outboxIndex,
]

export type AmountType = 'FIXED' | 'OPEN'

/**
 * A request that changed the intent, with what its response needs besides the intent: the refund that it began, or the
 * payment that it simulated. A form on the payment's page leaves a mark too, so that it makes only one payment.
 */
const intentMarkFields = part({
  ...markFields.fields,
  /** Tells the write from that of a twin, which may leave a mark at the same moment. */
  id: text,
  refundId: optional(text),
  payment: optional(
    part({
      failure: orNull(part({ code: orNull(oneOf<DeclineReason | FailureReason>()), retryable: flag })),
    }),
  ),
})
export type IntentMark = Of<typeof intentMarkFields>

/** A payment intent as stored in MongoDB (SPEC 2.1). */
export const intents = declareCollection({
  name: 'intents',
  kept: 'test data until the clean-up, live data forever',
  fields: {
    _id: text,
    businessId: text,
    sandbox: flag,
    referenceNumber: text,
    shortCode: text,
    /** The payment code as the merchant sees it. Lookups by payment code use `codeKey`. */
    code: text,
    codeExpiresAt: date,
    /**
     * The unique key of the payment code: `live:<code>` or `test:<code>:<businessId>`. It becomes `formerCodeKey` once
     * the code is reusable and another intent draws the same code.
     */
    codeKey: optional(text),
    /** The key that the payment code had while it was in use, so that staff can still find the intent by its code. */
    formerCodeKey: optional(text),
    codeReusableAt: date,
    amountType: oneOf<AmountType>(),
    /** The amount in centimes. For an OPEN intent, this is null or a suggested amount, which no response contains. */
    amount: orNull(whole),
    /**
     * The amount by which lists filter the intent, in centimes: the amount of a FIXED intent, or the amount that was
     * paid for an OPEN one. Null while an OPEN intent is not paid, so a filter never compares a suggested amount.
     */
    listedAmount: orNull(whole),
    label: orNull(text),
    /** The merchant's own reference of the payment, which never changes. */
    merchantReference: orNull(text),
    /**
     * The unique key of the merchant's reference: `live:<businessId>:<reference>` or `test:<businessId>:<reference>`.
     * The write that makes the intent CANCELLED or FAILED removes the key, so that a new intent can have the reference.
     */
    referenceKey: optional(text),
    /** The metadata is stored as key-value pairs, because a key may contain a dot or begin with `$`. */
    metadata: list(part({ key: text, value: text })),
    successUrl: orNull(text),
    cancelUrl: orNull(text),
    status: oneOf<Status>(),
    cancellationReason: orNull(oneOf<CancellationReason>()),
    payment: orNull(paymentFields),
    hold: orNull(holdFields),
    failure: orNull(failureFields),
    /** The latest payments that have ended and refunds that weren't made, in the order in which they ended. */
    attempts: list(attemptFields),
    refunds: list(refundFields),
    /** By these keys, staff and a reconciliation find the payments and refunds (look-up-keys.ts). */
    lookUpKeys: optional(list(text)),
    /** All refunds in centimes, including PENDING ones. Never more than was paid. */
    refundsCommitted: whole,
    /** What all refunds give back of the fees, including PENDING ones. Never more than the payment's fees. */
    feesReturned: returnedFeesFields,
    /** When the intent's first and last refund succeeded, and how many did (list.ts). Missing if none has. */
    refundTimes: optional(part({ firstAt: date, lastAt: date, count: whole })),
    expiresAt: date,
    /**
     * The time from which the intent is shown as CANCELLED, even if no worker has written that status yet. Thanks to
     * this field, MongoDB can count the intents shown as PENDING by scanning one index range, and those shown as
     * CANCELLED by scanning another. The field is written only together with `status` or `hold`. Depending on the
     * status, its value is:
     * - PENDING: `expiresAt`, or `neverCancels` while a payment holds the intent.
     * - CANCELLED: `alreadyCancelled`.
     * - Any other status: null.
     */
    cancelsAt: orNull(date),
    createdAt: date,
    updatedAt: date,
    /** The events that aren't deliveries yet. Each is added in the same write as the change that it reports. */
    outbox: list(outboxFields),
    /** The request that created the intent. Removed after 24 hours, if a new request has the same key. */
    requestKey: optional(markFields),
    /** The requests that changed the intent, and the forms of its payments (marks.ts). */
    marks: list(intentMarkFields),
    /** The value of PAY_URL when the intent was created. The `payUrl` in the create response begins with this value. */
    payBase: text,
    /** The version of the format in which a retry recomputes the create response (present.ts). */
    responseFormat: whole,
    /** When the clean-up began to remove the intent. From then on, the merchant can neither see nor change it. */
    cleanedAt: optional(date),
  },
  indexes: intentIndexes,
})
export type Intent = Stored<typeof intents>

/**
 * Returns the metadata as an object. `Object.fromEntries` turns even `__proto__` into an ordinary key of the object.
 */
export const metadataObject = (intent: Pick<Intent, 'metadata'>): Record<string, string> =>
  Object.fromEntries(intent.metadata.map(({ key, value }) => [key, value]))
