import type { Collection } from '../../collection.ts'

/** How the attempts of one hour ended, over all businesses; for the plots that support staff look at. */
export interface DeliveryHour {
  /** The hour's beginning. */
  _id: Date
  delivered: number
  retrying: number
  dead: number
}

export const hourMs = 3_600_000

/** When the hour of an instant began, in milliseconds. */
export const hourOf = (at: Date): number => Math.floor(at.getTime() / hourMs) * hourMs

export const deliveryHours: Collection = {
  name: 'deliveryhours',
  fields: { _id: Date, delivered: Number, retrying: Number, dead: Number },
  indexes: [],
}
