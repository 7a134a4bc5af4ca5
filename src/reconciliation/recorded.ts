import type { mongo } from 'mongoose'
import type { Intent } from '../intents/intent.ts'
import type { Refund } from '../intents/records.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Models } from '../platform/deps.ts'
import type { Pace } from '../work/pace.ts'
import type { MoneyKind } from './read-file.ts'

/** A live payment or refund, as we recorded it. */
export interface MoneyRecord {
  /** The wallet got this as the idempotency key. */
  key: string
  kind: MoneyKind
  /** In centimes, without the fee. */
  amount: number
  /** What the payer paid or got back in addition, in centimes. */
  fee: number
  at: Date
  reference: string
  businessId: string
}

/**
 * `recorded` is null if this didn't succeed here (e.g. its outcome isn't known yet), or another wallet carried it out.
 */
export interface FoundWalletKey {
  reference: string
  businessId: string
  recorded: MoneyRecord | null
}

export const intentFields = {
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

export type RecordedIntent = Pick<Intent, 'businessId' | 'referenceNumber' | 'refunds' | 'lookUpKeys'> & {
  payment?: Intent['payment']
}

/** MongoDB leaves `payment` out if the intent is unpaid. */
export function recordedPayment({
  businessId,
  referenceNumber: reference,
  payment,
}: RecordedIntent): MoneyRecord[] {
  if (!payment) return []
  const { key, amountPaid: amount, commission, paidAt: at } = payment
  return [{ key, kind: 'payment', amount, fee: commission.payerTtc, at, reference, businessId }]
}

/** Leaves out refunds for which the wallet hasn't returned the money. */
export const recordedRefunds = ({
  businessId,
  referenceNumber: reference,
  refunds,
}: RecordedIntent): MoneyRecord[] =>
  refunds.flatMap(({ id: key, amount, returnedFees, refundedAt: at }: Refund) =>
    at === undefined
      ? []
      : [{ key, kind: 'refund', amount, fee: returnedFees.payerTtc, at, reference, businessId }],
  )

const maxBusinesses = 500
/** Documents per query. An intent can have 1,000 refunds. */
export const pageSize = 100

/** Less than the 5 s after which the driver gives up. */
export const maxReadMs = 4000

/** `from` is inclusive, `to` is not. */
export interface Period {
  from: Date
  to: Date
}

/** Null matches all live wallets. */
const walletFilter = (wallet: string | null) => wallet ?? { $gte: 'live:', $lt: 'live;' }

type Span = { $gte: Date; $lt: Date }
type Deps = Pick<Models, 'Business' | 'Intent'> & { pace: Pace }

const intentFilters = {
  byPaidAt: (span: Span) => ({ 'payment.paidAt': span }),
  byRefundedAt: (span: Span) => ({
    'refunds.refundedAt': { $exists: true },
    refunds: { $elemMatch: { refundedAt: span } },
  }),
}

/** Yields the live payments made and the live refunds settled in a period, one business after another. */
export async function* recordedIn(
  deps: Deps,
  period: Period,
  wallet: string | null,
): AsyncGenerator<MoneyRecord[], void, undefined> {
  const intents = { ...deps, projection: intentFields }
  for await (const businessId of businessIds(deps)) {
    const live = { businessId, sandbox: false, 'payment.wallet': walletFilter(wallet) }
    for await (const { found } of intentsIn<RecordedIntent>(intents, 'byPaidAt', live, period))
      yield found.flatMap(recordedPayment)
    for await (const { found, from, to } of intentsIn<RecordedIntent>(intents, 'byRefundedAt', live, period))
      yield found.flatMap(recordedRefunds).filter(({ at }) => at >= from && at < to)
  }
}

export const intentsIn = <Doc extends object>(
  { Intent, pace, projection }: Pick<Deps, 'Intent' | 'pace'> & { projection: Record<string, 0 | 1> },
  hint: keyof typeof intentFilters,
  where: mongo.Filter<Intent>,
  period: Period,
) =>
  inParts(pace, period, (span, limit) =>
    nativeCollection(Intent)
      .find<Doc>(
        { ...where, ...intentFilters[hint](span) },
        { hint, limit, projection, maxTimeMS: maxReadMs },
      )
      .toArray(),
  )

/**
 * Yields what `read` finds in a period, in parts of up to `pageSize` documents (more only if they share a millisecond).
 * A period with more is halved instead, so no query skips what an earlier one has read.
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

export async function* businessIds(deps: Deps): AsyncGenerator<string, void, undefined> {
  for await (const page of businessPages(deps)) yield* page
}

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

/** Leaves out unknown keys. With a `wallet`, `recorded` is null for the payments and refunds of others. */
export async function findKeys(
  { Intent: model }: Pick<Models, 'Intent'>,
  keys: readonly string[],
  wallet: string | null,
): Promise<Map<string, FoundWalletKey>> {
  const intents = (await nativeCollection(model)
    .find(
      { lookUpKeys: { $in: keys }, sandbox: false },
      { hint: 'byLookUpKey', projection: { ...intentFields, lookUpKeys: 1 }, maxTimeMS: maxReadMs },
    )
    .toArray()) as RecordedIntent[]
  const wanted = new Set(keys)
  const found = new Map<string, FoundWalletKey>()
  for (const intent of intents) {
    const { businessId, referenceNumber: reference, lookUpKeys = [] } = intent
    const isOfWallet = wallet === null || intent.payment?.wallet === wallet
    const recorded = isOfWallet ? [...recordedPayment(intent), ...recordedRefunds(intent)] : []
    for (const key of lookUpKeys.filter((each) => wanted.has(each)))
      found.set(key, { reference, businessId, recorded: recorded.find((each) => each.key === key) ?? null })
  }
  return found
}
