import type { EventName } from '../../schemas/events.ts'
import type { Collection } from '../collection.ts'

/** How many endpoints a business may have (SPEC 4.8, rule 1). */
export const endpointSlots = [0, 1, 2, 3, 4] as const

/** A merchant's receiver, as stored (SPEC 2.2). Belongs to the business, not to an environment. `_id` is the claim's effect id. */
export interface Endpoint {
  _id: string
  businessId: string
  /** One of the five places; unique within the business, so that racing creates never make a sixth. */
  slot: number
  url: string
  events: EventName[]
  /** The 64 hex characters that sign, sealed. */
  secret: string
  active: boolean
  createdAt: Date
  /** The sealed first answer of the create, for replay. */
  answer: string
}

export const endpoints: Collection = {
  name: 'webhookendpoints',
  fields: {
    _id: String,
    businessId: String,
    slot: Number,
    url: String,
    events: [String],
    secret: String,
    active: Boolean,
    createdAt: Date,
    answer: String,
  },
  indexes: [{ name: 'slot', key: { businessId: 1, slot: 1 }, unique: true }],
}
