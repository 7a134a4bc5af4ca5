import { type Collection, ifPresent } from '../mongo/collection.ts'
import { outboxIndex } from '../outbox/event.ts'

/** The name of the unique index on `referenceKey`. */
export const referenceIndex = 'referenceInUse'
/** The name of the unique index on the key of the request that created an intent. */
export const requestIndex = 'requestKey'

/** The indexes of the collection of intents. */
export const intentIndexes: Collection['indexes'] = [
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
