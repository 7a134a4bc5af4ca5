import type { EventName } from '../../../schemas/events.ts'
import type { Collection } from '../../collection.ts'

/** How many endpoints a business may have (SPEC 4.8, rule 1). */
export const endpointSlots = [0, 1, 2, 3, 4] as const

/** How the attempts at an endpoint went. Decides with how many attempts at a time a process begins (attempts/slots/slots.ts). */
export interface EndpointHealth {
  lastSuccessAt: Date | null
  lastFailureAt: Date | null
  /** Attempts that failed since the last success. */
  failuresInRow: number
  /** The stage at which the last failure happened (docs/webhooks.md). */
  lastError: string | null
}

/** Of an endpoint that nothing was sent to yet. */
export const untried: EndpointHealth = {
  lastSuccessAt: null,
  lastFailureAt: null,
  failuresInRow: 0,
  lastError: null,
}

/** A secret that a rotation replaced. It signs beside the current one until its time is up. */
export interface PreviousSecret {
  secret: string
  madeBy: string
  validUntil: Date
}

/** A merchant's receiver, as stored (SPEC 2.2). Belongs to the business, not to an environment. `_id` is the claim's effect id. */
export interface Endpoint {
  _id: string
  businessId: string
  /** Whether a test key created it. Counts for the quota of the sandbox, and is not shown (src/quotas/sandbox-day.ts). */
  createdByTestKey: boolean
  /** One of the five places; unique within the business, so that racing creates never make a sixth. Deleted, it has none. */
  slot?: number
  url: string
  events: EventName[]
  /** The 64 hex characters that sign, sealed, and the effect id of the create or rotation that made them. */
  secret: string
  secretMadeBy: string
  /** Newest first. */
  previousSecrets: PreviousSecret[]
  active: boolean
  /** A deletion is a mark, so that a retry of it finds what it did. */
  deletedAt: Date | null
  health: EndpointHealth
  createdAt: Date
  updatedAt: Date
  /** Effect ids of the changes made, so that a retry finds its own. */
  effects: string[]
  /** The sealed first response of the create, for two days (src/retention). */
  answer?: string
}

export const endpoints: Collection = {
  name: 'webhookendpoints',
  fields: {
    _id: String,
    businessId: String,
    createdByTestKey: Boolean,
    slot: Number,
    url: String,
    events: [String],
    secret: String,
    secretMadeBy: String,
    previousSecrets: [{ _id: false, secret: String, madeBy: String, validUntil: Date }],
    active: Boolean,
    deletedAt: Date,
    health: {
      lastSuccessAt: Date,
      lastFailureAt: Date,
      failuresInRow: Number,
      lastError: String,
    },
    effects: [String],
    createdAt: Date,
    updatedAt: Date,
    answer: String,
  },
  indexes: [
    {
      name: 'slotInUse',
      key: { businessId: 1, slot: 1 },
      unique: true,
      partialFilterExpression: { slot: { $type: 'number' } },
    },
    // Ends with `createdByTestKey`, so that the quota of the sandbox is counted without reading documents.
    { name: 'byTime', key: { businessId: 1, createdAt: -1, _id: -1, createdByTestKey: 1 } },
    {
      name: 'deletions',
      key: { businessId: 1, deletedAt: -1, _id: -1 },
      partialFilterExpression: { deletedAt: { $type: 'date' } },
    },
  ],
}

/** A filter for endpoints that are not deleted. Uses the index `slotInUse`, because a business may have deleted any number. */
export const standing: Record<string, unknown> = { slot: { $type: 'number' } }

/** Whether anything may be sent to it. */
export const isReceiving = (endpoint: Pick<Endpoint, 'active' | 'deletedAt'>): boolean =>
  endpoint.active && endpoint.deletedAt === null
