import type { EventName } from '../../../schemas/events.ts'
import type { Collection } from '../../mongo/collection.ts'

/** How many endpoints a business may have (SPEC 4.8, rule 1). */
export const endpointSlots = [0, 1, 2, 3, 4] as const

/**
 * The results of the attempts at an endpoint. A process that has not used the endpoint recently derives the endpoint's
 * first window from these results (attempts/slots).
 */
export interface EndpointHealth {
  lastSuccessAt: Date | null
  lastFailureAt: Date | null
  /** The number of attempts that have failed since the last success. */
  failuresInRow: number
  /** The stage at which the last failure occurred (docs/merchants/webhooks.md). */
  lastError: string | null
}

/** The health of an endpoint without attempts. */
export const untried: EndpointHealth = {
  lastSuccessAt: null,
  lastFailureAt: null,
  failuresInRow: 0,
  lastError: null,
}

/**
 * A secret that a rotation replaced. It is still used for signing, alongside the current secret, until `validUntil`.
 */
export interface PreviousSecret {
  secret: string
  madeBy: string
  validUntil: Date
}

/** A stored endpoint (SPEC 2.2). It belongs to the business, not to an environment. `_id` is the claim's effect id. */
export interface Endpoint {
  _id: string
  businessId: string
  /** Whether a test key created the endpoint. Used only for the sandbox's quota (src/quotas/sandbox-day.ts). */
  createdByTestKey: boolean
  /**
   * One of `endpointSlots`, unique within the business, so that concurrent creates never make a sixth endpoint. Missing
   * if the endpoint is deleted.
   */
  slot?: number
  url: string
  events: EventName[]
  /** Stored sealed. The unsealed secret has 64 hex characters. */
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
  /** The sealed first response to the create request. The clean-up removes it after two days (src/retention). */
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
    // Contains `createdByTestKey`, so that counting for the sandbox's quota reads no documents.
    { name: 'byTime', key: { businessId: 1, createdAt: -1, _id: -1, createdByTestKey: 1 } },
    {
      name: 'deletions',
      key: { businessId: 1, deletedAt: -1, _id: -1 },
      partialFilterExpression: { deletedAt: { $type: 'date' } },
    },
  ],
}

/**
 * A filter for endpoints that are not deleted. The filter uses the index `slotInUse`, because a business may have many
 * deleted endpoints.
 */
export const standing: Record<string, unknown> = { slot: { $type: 'number' } }

/** Whether events may be sent to the endpoint. */
export const isReceiving = (endpoint: Pick<Endpoint, 'active' | 'deletedAt'>): boolean =>
  endpoint.active && endpoint.deletedAt === null
