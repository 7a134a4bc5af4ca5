import type { mongo } from 'mongoose'
import type { Intent } from '../intents/intent.ts'
import type { Refund } from '../intents/records.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Models } from '../platform/deps.ts'
import type { Pace } from '../work/pace.ts'
import type { MoneyKind } from './read-file.ts'

/** A live payment or refund as this service recorded it. */
export interface Recorded {
  /** The idempotency key under which the wallet knows the payment or refund. */
  key: string
  kind: MoneyKind
  /** The amount in centimes, without the fee. */
  amount: number
  /** The fee that the payer paid or got back in addition to the amount, in centimes. */
  fee: number
  at: Date
  reference: string
  businessId: string
}

/**
 * The payment intent that knows a key. `recorded` is null if the payment or refund of this key did not succeed here,
 * for example because its outcome is not known yet, or if another wallet carried it out.
 */
export interface FoundKey {
  reference: string
  businessId: string
  recorded: Recorded | null
}

/** The fields of an intent that a comparison reads. */
export const recordedFields = {
  _id: 0,
  businessId: 1,
  referenceNumber: 1,
  'payment.amountPaid': 1,
  'payment.paidAt': 1,
  'payment.key': 1,
  'payment.wallet': 1,
  'payment.commission.payerTtc': 1,
  refunds: 1,
} as const

/** An intent with these fields. */
export type RecordedIntent = Pick<Intent, 'businessId' | 'referenceNumber' | 'refunds' | 'lookUpKeys'> & {
  payment?: Intent['payment']
}

/** Returns the payment of an intent. The field is missing in what MongoDB returns for an intent that is not paid. */
export function recordedPayment({ businessId, referenceNumber: reference, payment }: RecordedIntent): Recorded[] {
  if (!payment) return []
  const { key, amountPaid: amount, commission, paidAt: at } = payment
  return [{ key, kind: 'payment', amount, fee: commission.payerTtc, at, reference, businessId }]
}

/** Returns the refunds of an intent for which the wallet has returned the money. */
export const recordedRefunds = ({ businessId, referenceNumber: reference, refunds }: RecordedIntent): Recorded[] =>
  refunds.flatMap(({ id: key, amount, returnedFees, refundedAt: at }: Refund) =>
    at === undefined ? [] : [{ key, kind: 'refund', amount, fee: returnedFees.payerTtc, at, reference, businessId }],
  )

const maxBusinesses = 500
/** The maximum number of documents that one query reads of a period. An intent can have 1,000 refunds. */
export const pageSize = 100

/** MongoDB aborts each query after this time, which is less than the 5 s after which the driver gives up. */
export const maxReadMs = 4000

/** A period that includes `from` and excludes `to`. */
export interface Period {
  from: Date
  to: Date
}

/** Returns the filter for the wallet whose payments are compared, or for all live wallets if `wallet` is null. */
const walletFilter = (wallet: string | null) => wallet ?? { $gte: 'live:', $lt: 'live;' }

type Span = { $gte: Date; $lt: Date }
type Deps = Pick<Models, 'Business' | 'Intent'> & { pace: Pace }

/** By index, the filter for the intents that were paid or refunded in a span of time. */
const intentFilters = {
  byPaidAt: (span: Span) => ({ 'payment.paidAt': span }),
  byRefundedAt: (span: Span) => ({
    'refunds.refundedAt': { $exists: true },
    refunds: { $elemMatch: { refundedAt: span } },
  }),
}

/**
 * Yields all live payments that were made in a period, and all live refunds that were settled in it. Reads one business
 * after another through indexes.
 */
export async function* recordedIn(
  deps: Deps,
  period: Period,
  wallet: string | null,
): AsyncGenerator<Recorded[], void, undefined> {
  const intents = { ...deps, projection: recordedFields }
  for await (const businessId of businessIds(deps)) {
    const live = { businessId, sandbox: false, 'payment.wallet': walletFilter(wallet) }
    for await (const { found } of intentsIn<RecordedIntent>(intents, 'byPaidAt', live, period))
      yield found.flatMap(recordedPayment)
    for await (const { found, from, to } of intentsIn<RecordedIntent>(intents, 'byRefundedAt', live, period))
      yield found.flatMap(recordedRefunds).filter(({ at }) => at >= from && at < to)
  }
}

/** Yields the intents that were paid or refunded in a period, in parts (`inParts`). */
export const intentsIn = <Doc extends object>(
  { Intent, pace, projection }: Pick<Deps, 'Intent' | 'pace'> & { projection: Record<string, 0 | 1> },
  hint: keyof typeof intentFilters,
  where: mongo.Filter<Intent>,
  period: Period,
) =>
  inParts(pace, period, (span, limit) =>
    nativeCollection(Intent)
      .find<Doc>({ ...where, ...intentFilters[hint](span) }, { hint, limit, projection, maxTimeMS: maxReadMs })
      .toArray(),
  )

/**
 * Yields what `read` finds in a period, in parts of at most `pageSize` documents, or all of one millisecond. If a
 * period has more, its halves are read instead, so no query has to skip what an earlier one has read.
 */
export async function* inParts<Doc>(
  pace: Pace,
  { from, to }: Period,
  read: (span: Span, limit: number) => Promise<Doc[]>,
): AsyncGenerator<Period & { found: Doc[] }, void, undefined> {
  const isDivisible = to.getTime() - from.getTime() > 1
  const found = await pace(() => read({ $gte: from, $lt: to }, isDivisible ? pageSize + 1 : 0))
  if (!isDivisible || found.length <= pageSize) return yield { found, from, to }
  const middle = new Date(Math.floor((from.getTime() + to.getTime()) / 2))
  yield* inParts(pace, { from, to: middle }, read)
  yield* inParts(pace, { from: middle, to }, read)
}

/** Yields the ids of all businesses. */
export async function* businessIds(deps: Deps): AsyncGenerator<string, void, undefined> {
  for await (const page of businessPages(deps)) yield* page
}

/** Yields the ids of all businesses, page by page. */
export async function* businessPages({ Business, pace }: Deps): AsyncGenerator<string[], void, undefined> {
  for (let last = ''; ; ) {
    const after = last
    const page = await pace(() =>
      Business.find({ _id: { $gt: after } }, { _id: 1 })
        .sort({ _id: 1 })
        .limit(maxBusinesses)
        .maxTimeMS(maxReadMs)
        .lean<{ _id: string }[]>(),
    )
    yield page.map(({ _id }) => _id)
    if (page.length < maxBusinesses) return
    last = page.at(-1)?._id ?? ''
  }
}

/**
 * Finds the live intents that contain these wallet keys. The result contains only the keys that were found. If `wallet`
 * is not null, `recorded` is null for the payments and refunds of other wallets.
 */
export async function findKeys(
  { Intent: model }: Pick<Models, 'Intent'>,
  keys: readonly string[],
  wallet: string | null,
): Promise<Map<string, FoundKey>> {
  const intents = (await nativeCollection(model)
    .find(
      { lookUpKeys: { $in: keys }, sandbox: false },
      { hint: 'byLookUpKey', projection: { ...recordedFields, lookUpKeys: 1 }, maxTimeMS: maxReadMs },
    )
    .toArray()) as RecordedIntent[]
  const wanted = new Set(keys)
  const found = new Map<string, FoundKey>()
  for (const intent of intents) {
    const { businessId, referenceNumber: reference, lookUpKeys = [] } = intent
    const isOfWallet = wallet === null || intent.payment?.wallet === wallet
    const recorded = isOfWallet ? [...recordedPayment(intent), ...recordedRefunds(intent)] : []
    for (const key of lookUpKeys.filter((each) => wanted.has(each)))
      found.set(key, { reference, businessId, recorded: recorded.find((each) => each.key === key) ?? null })
  }
  return found
}
