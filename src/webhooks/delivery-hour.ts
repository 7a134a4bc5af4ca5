import type { Collection } from '../collection.ts'

/** How the attempts of one hour ended, over all businesses; for the plots that support staff look at. */
export interface DeliveryHour {
  /** The hour's beginning. */
  _id: Date
  delivered: number
  retrying: number
  dead: number
}

export const deliveryHours: Collection = {
  name: 'deliveryhours',
  fields: { _id: Date, delivered: Number, retrying: Number, dead: Number },
  indexes: [],
}
