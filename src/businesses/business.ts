import { declareCollection, type Stored } from '../mongo/declare.ts'
import { date, flag, list, type Of, orNull, part, text, whole } from '../mongo/fields.ts'
import type { CommissionRates } from '../wallets/commission.ts'

/** Null stands for the service's default. A limit per UTC day may be 0, for no limit. */
const limitFields = part({
  /** Of each key. */
  perSecond: orNull(whole),
  /** Payment codes in use. */
  liveCodes: orNull(whole),
  /** Also counts orders and products. */
  sandboxIntentsPerDay: orNull(whole),
  liveDocumentsPerDay: orNull(whole),
  liveBytesPerDay: orNull(whole),
  sandboxBytesPerDay: orNull(whole),
})
export type BusinessLimits = Of<typeof limitFields>

const none: number | null = null
export const defaultLimits = Object.fromEntries(
  Object.keys(limitFields.fields).map((name) => [name, none]),
) as BusinessLimits

/** In basis points. */
const ratesFields = part({ from: date, provider: whole, payer: whole })
export type RatesFrom = Of<typeof ratesFields>

/** Before the first entry, the default rates apply. */
export type CommissionHistory = readonly RatesFrom[]

/** Most of the documentation calls it a merchant. */
export const businesses = declareCollection({
  name: 'businesses',
  kept: 'forever',
  fields: {
    _id: text,
    name: text,
    liveApproved: flag,
    /** Payment pages work in any case. */
    apiEnabled: flag,
    /** Closes the developer API and the payment pages. */
    suspended: flag,
    limits: limitFields,
    /** Sorted by `from`, which may lie in the future. */
    commission: list(ratesFields),
    createdAt: date,
  },
  // A search for a part of the name scans the keys of this index, not the documents.
  indexes: [{ name: 'name', key: { name: 1 } }],
})
export type Business = Stored<typeof businesses>

/** Must stay small: each request reads the history with its key. */
export const maxRates = 200

export function ratesAt(history: CommissionHistory, defaults: CommissionRates, at: Date): CommissionRates {
  const current = history.findLast(({ from }) => from <= at)
  if (current === undefined) return defaults
  const { provider, payer } = current
  return { ...defaults, provider, payer }
}
