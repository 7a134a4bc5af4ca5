import { declareCollection, type Stored } from '../mongo/declare.ts'
import { date, flag, list, optional, orNull, part, text, type ValueOfField, whole } from '../mongo/fields.ts'
import type { CommissionRates } from '../wallets/commission.ts'

/** Null means the service's default. For a limit per day, 0 means no limit. */
const limitFields = part({
  /** Requests per second per key. */
  perSecond: orNull(whole),
  liveCodes: orNull(whole),
  /** Also counts orders and products. */
  sandboxIntentsPerDay: orNull(whole),
  liveDocumentsPerDay: orNull(whole),
  liveBytesPerDay: orNull(whole),
  sandboxBytesPerDay: orNull(whole),
})
export type BusinessLimits = ValueOfField<typeof limitFields>

export const unsetLimits = Object.fromEntries(
  Object.keys(limitFields.fields).map((name) => [name, null]),
) as BusinessLimits

/** Both rates are in basis points. */
const ratesFields = part({ from: date, provider: whole, payer: whole })
export type DatedRates = ValueOfField<typeof ratesFields>

/** Most of the documentation calls a business a merchant. */
export const businesses = declareCollection({
  name: 'businesses',
  kept: 'forever',
  fields: {
    _id: text,
    name: text,
    liveApproved: flag,
    /** If false, the API refuses its requests, but payment pages still work. */
    apiEnabled: flag,
    suspended: flag,
    limits: limitFields,
    /** Sorted by `from`. Before the first entry, the default rates apply. */
    commission: list(ratesFields),
    createdAt: date,
    /** Incremented to make concurrent changes of its people or keys conflict. */
    lockCount: optional(whole),
    /** Set from an owner's request for live access until staff approve the business. */
    liveRequest: optional(part({ at: date, personId: text })),
  },
  // A search by name scans this index instead of the documents.
  indexes: [{ name: 'name', key: { name: 1 } }],
})
export type Business = Stored<typeof businesses>

/** Limited, because every request reads the history along with its key. */
export const maxRateEntries = 200

export function ratesAt(
  history: readonly DatedRates[],
  defaults: CommissionRates,
  at: Date,
): CommissionRates {
  const { provider, payer } = history.findLast(({ from }) => from <= at) ?? defaults
  return { ...defaults, provider, payer }
}
