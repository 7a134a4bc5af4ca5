import type { Model } from 'mongoose'
import type { Collection } from '../mongo/collection.ts'
import type { CommissionRates } from '../wallets/commission.ts'

declare module '../platform/deps.ts' {
  interface Models {
    Business: Model<Business>
  }
}

/** Set by operators. Null stands for the service's default. */
export interface BusinessLimits {
  /** Requests per second of each API key (RATE_LIMIT_PER_SECOND). */
  perSecond: number | null
  /** Live payment codes in use at a time (LIVE_CODES_PER_BUSINESS). */
  liveCodes: number | null
  /** Intents, orders and products that test keys may create per UTC day (SANDBOX_INTENTS_PER_DAY). 0 is no limit. */
  sandboxIntentsPerDay: number | null
  /**
   * Documents, and bytes of documents, that live or test keys may store per UTC day (LIVE_DOCUMENTS_PER_DAY,
   * LIVE_BYTES_PER_DAY, SANDBOX_BYTES_PER_DAY). 0 is no limit.
   */
  liveDocumentsPerDay: number | null
  liveBytesPerDay: number | null
  sandboxBytesPerDay: number | null
}

/** Called a merchant in most of the documentation. */
export interface Business {
  _id: string
  name: string
  /** Whether live keys work. Test keys don't need this approval. */
  liveApproved: boolean
  /** Only for the developer API: payment pages work even if this is false. */
  apiEnabled: boolean
  /** Turns off the developer API, and customers can't pay either. */
  suspended: boolean
  limits: BusinessLimits
  /** Set by operators, including rates that apply only later. */
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
  // Staff search by a part of the name, which scans the keys of this index instead of the documents.
  indexes: [{ name: 'name', key: { name: 1 } }],
}

/** In basis points, valid from then on. */
export interface RatesFrom {
  from: Date
  /** The merchant's fee. */
  provider: number
  /** The payer's fee. */
  payer: number
}

/** Sorted by `from`. Before the first entry, the default rates apply. */
export type CommissionHistory = readonly RatesFrom[]

/** The history is read with the key of each request (key-batchers.ts), so it must stay small. */
export const maxRates = 200

/** Tax rates are the same for every business. */
export function ratesAt(history: CommissionHistory, defaults: CommissionRates, at: Date): CommissionRates {
  const current = history.findLast(({ from }) => from <= at)
  if (current === undefined) return defaults
  const { provider, payer } = current
  return { ...defaults, provider, payer }
}
