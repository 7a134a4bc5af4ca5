import type { Collection } from '../../mongo/collection.ts'

/**
 * How many attempts ended with each outcome within one hour, across all businesses, for the charts on the staff pages.
 */
export interface DeliveryHour {
  /** The start of the hour. */
  _id: Date
  delivered: number
  retrying: number
  dead: number
}

export const hourMs = 3_600_000

/** Returns the start of the hour that contains `at`, in milliseconds since 1970. */
export const hourOf = (at: Date): number => Math.floor(at.getTime() / hourMs) * hourMs

export const deliveryHours: Collection = {
  name: 'deliveryhours',
  fields: { _id: Date, delivered: Number, retrying: Number, dead: Number },
  indexes: [],
}
