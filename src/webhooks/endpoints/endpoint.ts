import type { EventName } from '../../../schemas/events.ts'
import type { Collection } from '../../mongo/collection.ts'

/** How many endpoints a business may have (SPEC 4.8, rule 1). */
export const endpointSlots = [0, 1, 2, 3, 4] as const

/**
 * The results of the attempts at an endpoint. A process that has not used the endpoint lately derives its first window
 * from them (attempts/slots).
 */
export interface EndpointHealth {
  lastSuccessAt: Date | null
  lastFailureAt: Date | null
  /** Attempts that failed since the last success. */
  failuresInRow: number
  /** The stage at which the last failure happened (docs/merchants/webhooks.md). */
  lastError: string | null
}

/** The health of an endpoint without attempts. */
export const untried: EndpointHealth = {
  lastSuccessAt: null,
  lastFailureAt: null,
  failuresInRow: 0,
  lastError: null,
}

/** A secret that a rotation replaced. It signs beside the current one until `validUntil`. */
export interface PreviousSecret {
  secret: string
  madeBy: string
  validUntil: Date
}

/** A stored endpoint (SPEC 2.2). It belongs to the business, not to an environment. `_id` is the claim's effect id. */
export interface Endpoint {
  _id: string
  businessId: string
  /** Whether a test key created the endpoint. Used only for the quota of the sandbox (src/quotas/sandbox-day.ts). */
  createdByTestKey: boolean
  /**
   * One of `endpointSlots`, unique within the business, so that concurrent creates never make a sixth endpoint. Missing
   * if deleted.
   */
  slot?: number
  url: string
  events: EventName[]
  /** Sealed. Unsealed, it has 64 hex characters. */
  secret: string
  /** The effect id of the create or rotation that made `secret`. */
  secretMadeBy: string
  /** Newest first. */
  previousSecrets: PreviousSecret[]
  active: boolean
  /** A deleted endpoint stays for a while, so that a retried deletion finds its result. */
  deletedAt: Date | null
  health: EndpointHealth
  createdAt: Date
  updatedAt: Date
  /** Effect ids of the changes, so that a retried request finds its own change. */
  effects: string[]
  /** The sealed first response of the create. The clean-up removes it after two days (src/retention). */
  sealedResponse?: string
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
    sealedResponse: String,
  },
  indexes: [
    {
      name: 'slotInUse',
      key: { businessId: 1, slot: 1 },
      unique: true,
      partialFilterExpression: { slot: { $type: 'number' } },
    },
    // Contains `createdByTestKey`, so that counting for the quota of the sandbox reads no documents.
    { name: 'byTime', key: { businessId: 1, createdAt: -1, _id: -1, createdByTestKey: 1 } },
    {
      name: 'deletions',
      key: { businessId: 1, deletedAt: -1, _id: -1 },
      partialFilterExpression: { deletedAt: { $type: 'date' } },
    },
  ],
}

/**
 * A filter for endpoints that are not deleted. It uses the index `slotInUse`, because a business may have many deleted
 * endpoints.
 */
export const standing: Record<string, unknown> = { slot: { $type: 'number' } }

/** Whether events may be sent to the endpoint. */
export const isReceiving = (endpoint: Pick<Endpoint, 'active' | 'deletedAt'>): boolean =>
  endpoint.active && endpoint.deletedAt === null
