import { declareCollection, type Stored } from '../mongo/declare.ts'
import { date, flag, list, type Of, orNull, part, text, whole } from '../mongo/fields.ts'
import type { CommissionRates } from '../wallets/commission.ts'

/** Set by operators. Null stands for the service's default. */
const limitFields = part({
  /** Requests per second of each of its keys (RATE_LIMIT_PER_SECOND). */
  perSecond: orNull(whole),
  /** Live payment codes in use (LIVE_CODES_PER_BUSINESS). */
  liveCodes: orNull(whole),
  /** Intents, orders and products of its test keys per UTC day (SANDBOX_INTENTS_PER_DAY). 0 means no limit. */
  sandboxIntentsPerDay: orNull(whole),
  /**
   * What its keys may store per UTC day (LIVE_DOCUMENTS_PER_DAY, LIVE_BYTES_PER_DAY, SANDBOX_BYTES_PER_DAY). 0 means no
   * limit.
   */
  liveDocumentsPerDay: orNull(whole),
  liveBytesPerDay: orNull(whole),
  sandboxBytesPerDay: orNull(whole),
})
export type BusinessLimits = Of<typeof limitFields>

const none: number | null = null
export const defaultLimits = Object.fromEntries(
  Object.keys(limitFields.fields).map((name) => [name, none]),
) as BusinessLimits

/** In basis points, valid from then on. */
const ratesFields = part({
  from: date,
  /** The merchant's fee. */
  provider: whole,
  /** The payer's fee. */
  payer: whole,
})
export type RatesFrom = Of<typeof ratesFields>

/** Sorted by `from`. Before the first entry, the default rates apply. */
export type CommissionHistory = readonly RatesFrom[]

/** Called a merchant in most of the documentation. */
export const businesses = declareCollection({
  name: 'businesses',
  kept: 'forever',
  fields: {
    _id: text,
    name: text,
    /** Live keys need this approval, test keys don't. */
    liveApproved: flag,
    /** Only for the developer API: payment pages work in any case. */
    apiEnabled: flag,
    /** A suspended business can't use the developer API, and customers can't pay it. */
    suspended: flag,
    limits: limitFields,
    /** Includes rates that apply only later. */
    commission: list(ratesFields),
    createdAt: date,
  },
  // Staff search by a part of the name, which scans the keys of this index instead of the documents.
  indexes: [{ name: 'name', key: { name: 1 } }],
})
export type Business = Stored<typeof businesses>

/** The history is read with the key of each request (key-batchers.ts), so it must stay small. */
export const maxRates = 200

/** Tax rates are the same for every business. */
export function ratesAt(history: CommissionHistory, defaults: CommissionRates, at: Date): CommissionRates {
  const current = history.findLast(({ from }) => from <= at)
  if (current === undefined) return defaults
  const { provider, payer } = current
  return { ...defaults, provider, payer }
}
