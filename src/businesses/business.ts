import type { Model } from 'mongoose'
import type { Collection } from '../mongo/collection.ts'
import type { CommissionRates } from '../wallets/commission.ts'

declare module '../platform/deps.ts' {
  interface Models {
    Business: Model<Business>
  }
}

/** The limits that operators have set for one business. If a limit is null, the service's default applies. */
export interface BusinessLimits {
  /** The maximum number of requests per second for each of the business's API keys (RATE_LIMIT_PER_SECOND). */
  perSecond: number | null
  /** The maximum number of live payment codes that the business may have in use (LIVE_CODES_PER_BUSINESS). */
  liveCodes: number | null
  /**
   * The maximum number of intents, orders and products that the business's test keys may create in total per UTC day
   * (SANDBOX_INTENTS_PER_DAY). 0 means that there is no limit.
   */
  sandboxIntentsPerDay: number | null
  /**
   * The most documents, and the most bytes of documents, that the business may store in a UTC day with its live or its
   * test keys (LIVE_DOCUMENTS_PER_DAY, LIVE_BYTES_PER_DAY, SANDBOX_BYTES_PER_DAY). 0 means that there is no limit.
   */
  liveDocumentsPerDay: number | null
  liveBytesPerDay: number | null
  sandboxBytesPerDay: number | null
}

/** A business that uses the service. The documentation also calls it a merchant. */
export interface Business {
  _id: string
  name: string
  /** Whether the business's live keys work. Its test keys do not need this approval. */
  liveApproved: boolean
  /** Whether the business can use the developer API. The business's payment pages work even if this is false. */
  apiEnabled: boolean
  /**
   * Whether the business is suspended. A suspended business cannot use the developer API, and customers cannot pay it.
   */
  suspended: boolean
  limits: BusinessLimits
  /** The commission rates that operators have set for this business, including rates that apply only later. */
  commission: CommissionHistory
  createdAt: Date
}

export const defaultLimits: BusinessLimits = {
  perSecond: null,
  liveCodes: null,
  sandboxIntentsPerDay: null,
  liveDocumentsPerDay: null,
  liveBytesPerDay: null,
  sandboxBytesPerDay: null,
}

export const businesses: Collection = {
  name: 'businesses',
  fields: {
    _id: String,
    name: String,
    liveApproved: Boolean,
    apiEnabled: Boolean,
    suspended: Boolean,
    limits: Object.fromEntries(Object.keys(defaultLimits).map((name) => [name, Number])),
    commission: [{ _id: false, from: Date, provider: Number, payer: Number }],
    createdAt: Date,
  },
  // Staff search for businesses by a part of the name. The search scans the keys of the `name` index instead of the
  // documents.
  indexes: [{ name: 'name', key: { name: 1 } }],
}

/** The rates of the two fees of one business, in basis points, and the time from which they apply. */
export interface RatesFrom {
  from: Date
  /** The merchant's fee. */
  provider: number
  /** The payer's fee. */
  payer: number
}

/** The rates of one business, sorted by `from`. Before the first entry, the default rates apply. */
export type CommissionHistory = readonly RatesFrom[]

/**
 * The maximum number of entries in the history of one business. The history is read together with the key of each
 * request (key-batchers.ts), so it must stay small.
 */
export const maxRates = 200

/** Returns the rates that apply to a payment at a time. The rates of the taxes are the same for every business. */
export function ratesAt(history: CommissionHistory, defaults: CommissionRates, at: Date): CommissionRates {
  const current = history.findLast(({ from }) => from <= at)
  if (current === undefined) return defaults
  const { provider, payer } = current
  return { ...defaults, provider, payer }
}
