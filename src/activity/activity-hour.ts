import type { Collection } from '../mongo/collection.ts'

/** The figures that are counted from the entries of an hour. Counting an hour again only corrects them. */
export interface PaymentFigures {
  payments: number
  /** In centimes. */
  amountPaid: number
  /** Payments with the outcome declined or failed, each of which added a `payment.failed` event. */
  failures: number
  refunds: number
  /** In centimes. */
  amountRefunded: number
}

/** How many attempts at deliveries ended with each outcome. */
export interface AttemptFigures {
  delivered: number
  retrying: number
  dead: number
}

export interface Figures extends PaymentFigures, AttemptFigures {}

/** The owner of figures. `businessId` is null for the sum of all businesses. */
export interface FiguresOwner {
  businessId: string | null
  sandbox: boolean
}

/** The figures of one business, or of all businesses, for one hour in live mode or in the sandbox. */
export interface ActivityHour extends Partial<Figures> {
  /** See `hourId`. */
  _id: string
  /** The start of the hour. */
  hour: Date
}

export const hourMs = 3_600_000

/** Returns the start of the hour that contains `at`, in milliseconds since 1970. */
export const hourOf = (at: Date): number => Math.floor(at.getTime() / hourMs) * hourMs

/**
 * Returns the id of the figures for an hour. The ids of one owner are in chronological order, so the index on `_id`
 * finds the hours of a period.
 */
export const hourId = ({ businessId, sandbox }: FiguresOwner, hour: number): string =>
  `${businessId ?? 'all'} ${sandbox ? 'test' : 'live'} ${new Date(hour).toISOString()}`

/** Pages show 30 days. */
const keptSeconds = 35 * 86_400

export const activityHours: Collection = {
  name: 'activityhours',
  fields: {
    _id: String,
    hour: Date,
    payments: Number,
    amountPaid: Number,
    failures: Number,
    refunds: Number,
    amountRefunded: Number,
    delivered: Number,
    retrying: Number,
    dead: Number,
  },
  // This index only removes old figures.
  indexes: [{ name: 'removal', key: { hour: 1 }, expireAfterSeconds: keptSeconds }],
}
