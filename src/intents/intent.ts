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

const ownerKey = { businessId: 1, sandbox: 1 } as const
const newest = { createdAt: -1, _id: -1 } as const

export const madeAtTill = { 'till.personId': { $gt: '' } } as const

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
  { name: referenceIndexName, key: { referenceKey: 1 }, unique: true, ...indexIfPresent('referenceKey') },
  {
    name: 'byMerchantReference',
    key: { merchantReference: 1, ...ownerKey, ...newest, status: 1, cancelsAt: 1 },
    partialFilterExpression: { merchantReference: { $gt: '' } },
  },
  // Lets the quota count a business's live codes without reading documents.
  {
    name: 'liveCodes',
    key: { businessId: 1, codeReusableAt: 1, codeKey: 1 },
    partialFilterExpression: { codeKey: { $gte: 'live:', $lt: 'live;' } },
  },
  // With `listedAmount` first, creating an intent would take about 50 % longer.
  { name: 'byTime', key: { ...ownerKey, ...newest, listedAmount: 1 } },
  // With `cancelsAt`, a list reads only the documents that it returns.
  { name: 'byStatus', key: { ...ownerKey, status: 1, ...newest, cancelsAt: 1, listedAmount: 1 } },
  // The next two indexes contain no new intents, so creating one stays fast.
  {
    name: 'byPaidAt',
    key: { ...ownerKey, 'payment.paidAt': -1, ...newest, status: 1 },
    ...indexIfPresent('payment.paidAt'),
  },
  {
    name: 'byRefundTimes',
    key: {
      ...ownerKey,
      'refundTimes.count': 1,
      'refundTimes.lastAt': -1,
      'refundTimes.firstAt': -1,
      ...newest,
      status: 1,
    },
    ...indexIfPresent('refundTimes.lastAt'),
  },
  { name: 'byCancelsAt', key: { ...ownerKey, cancelsAt: 1 } },
  // `businessId` lets a poll skip a business that has had its share.
  { name: 'expiring', key: { cancelsAt: 1, businessId: 1 }, partialFilterExpression: { status: 'PENDING' } },
  { name: 'paymentToQuery', key: { 'hold.queryAt': 1, businessId: 1 }, ...indexIfPresent('hold.queryAt') },
  {
    name: 'refundToQuery',
    key: { 'refunds.queryAt': 1, businessId: 1 },
    ...indexIfPresent('refunds.queryAt'),
  },
  // The next two indexes are for searches on pages and contain no new intents.
  { name: 'byLookUpKey', key: { lookUpKeys: 1, createdAt: -1 }, ...indexIfPresent('lookUpKeys') },
  { name: 'byFormerCode', key: { formerCodeKey: 1, codeReusableAt: -1 }, ...indexIfPresent('formerCodeKey') },
  {
    name: 'byRefundedAt',
    key: { ...ownerKey, 'refunds.refundedAt': 1 },
    ...indexIfPresent('refunds.refundedAt'),
  },
  // Contains no intent of the API. The unpaid ones come last, by time.
  {
    name: 'tillDay',
    key: { ...ownerKey, 'payment.paidAt': -1, ...newest, 'till.personId': 1 },
    partialFilterExpression: madeAtTill,
  },
  { name: 'byTillForm', key: { 'till.form': 1, ...newest }, ...indexIfPresent('till.form') },
  outboxIndex,
]

type AmountType = 'FIXED' | 'OPEN'

const requestedFields = field.part({
  amountType: field.oneOf<AmountType>(),
  /** In centimes. An OPEN intent has only a suggested amount, or null. */
  amount: field.orNull(field.whole),
  label: field.orNull(field.text),
  merchantReference: field.orNull(field.text),
  /** Not an object, because its keys can't contain dots or begin with `$`. */
  metadata: field.list(field.part({ key: field.text, value: field.text })),
  successUrl: field.orNull(field.text),
  cancelUrl: field.orNull(field.text),
})
export type IntentInput = field.ValueOfField<typeof requestedFields>

const intentMarkFields = field.part({
  ...requestMarkFields.fields,
  /** Distinguishes concurrent requests that have the same key. */
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
export type IntentMark = field.ValueOfField<typeof intentMarkFields>

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
    /** Becomes `formerCodeKey` when another intent gets the code. */
    codeKey: field.optional(field.text),
    formerCodeKey: field.optional(field.text),
    codeReusableAt: field.date,
    ...requestedFields.fields,
    /** In centimes. Null for an unpaid OPEN intent. */
    listedAmount: field.orNull(field.whole),
    /** Removed once another intent may use the same reference. */
    referenceKey: field.optional(field.text),
    /** Set only if a person created it at the till. */
    till: field.optional(field.part({ personId: field.text, form: field.optional(field.text) })),
    status: field.oneOf<IntentStatus>(),
    cancellationReason: field.orNull(field.oneOf<CancellationReason>()),
    payment: field.orNull(paymentFields),
    hold: field.orNull(holdFields),
    failure: field.orNull(paymentFailureFields),
    /** Contains only the latest attempts, in the order in which they ended. */
    attempts: field.list(paymentAttemptFields),
    refunds: field.list(refundFields),
    lookUpKeys: field.optional(field.list(field.text)),
    /** In centimes. Includes PENDING refunds. */
    refundsCommitted: field.whole,
    feesReturned: returnedFeesFields,
    refundTimes: field.optional(field.part({ firstAt: field.date, lastAt: field.date, count: field.whole })),
    expiresAt: field.date,
    /**
     * From this time on, the intent is shown as CANCELLED:
     * - PENDING: `expiresAt`, or `neverCancelsAt` while a payment holds it.
     * - CANCELLED: `alreadyCancelledAt`.
     * - Any other status: null.
     */
    cancelsAt: field.orNull(field.date),
    createdAt: field.date,
    updatedAt: field.date,
    /** Each event is written together with the change that it reports. */
    outbox: field.list(outboxFields),
    requestKey: field.optional(requestMarkFields),
    /** Also contains payment forms, but only their `key` and `at`. */
    marks: field.list(intentMarkFields),
    /** PAY_URL at creation, so that repeated requests get the same response. */
    payBase: field.text,
    responseFormat: field.whole,
    /** When the clean-up hid the intent and began to remove it. */
    cleanedAt: field.optional(field.date),
  },
  indexes: intentIndexes,
})
export type Intent = Stored<typeof intents>

/** Decoding a thousand refunds (1 MB) would block the process for 5 ms. */
export type IntentWithoutRefunds = Omit<Intent, 'refunds'>

/** Even `__proto__` becomes an ordinary key. */
export const metadataToObject = (intent: Pick<Intent, 'metadata'>): Record<string, string> =>
  Object.fromEntries(intent.metadata.map(({ key, value }) => [key, value]))
