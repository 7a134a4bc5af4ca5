import { type AuditEvent, unauditedFields, unauditedIndex } from '../audit/audit-event.ts'
import type { Collection } from '../mongo/collection.ts'

/** Limits that operators set for one business. If a limit is null, the service's default applies. */
export interface BusinessLimits {
  /** Requests per second for each of its keys (RATE_LIMIT_PER_SECOND). */
  perSecond: number | null
  /** Live payment codes in use (LIVE_CODES_PER_BUSINESS). */
  liveCodes: number | null
  /**
   * Intents, orders, products and endpoints that its test keys create per UTC day (SANDBOX_INTENTS_PER_DAY); 0 means no
   * limit.
   */
  sandboxIntentsPerDay: number | null
}

/** A merchant. */
export interface Business {
  _id: string
  name: string
  /** Whether its live keys work. Test keys always work. */
  liveApproved: boolean
  /** Whether its developer API is open. Payment pages do not depend on this. */
  apiEnabled: boolean
  /** Whether its developer API and payment pages are closed, so that it cannot be paid. */
  suspended: boolean
  limits: BusinessLimits
  createdAt: Date
  /** Events that are not in the audit trail yet. */
  unaudited: AuditEvent[]
}

export const defaultLimits: BusinessLimits = {
  perSecond: null,
  liveCodes: null,
  sandboxIntentsPerDay: null,
}

export const businesses: Collection = {
  name: 'businesses',
  fields: {
    _id: String,
    name: String,
    liveApproved: Boolean,
    apiEnabled: Boolean,
    suspended: Boolean,
    limits: { perSecond: Number, liveCodes: Number, sandboxIntentsPerDay: Number },
    createdAt: Date,
    unaudited: unauditedFields,
  },
  // Staff search by a part of the name, which scans the index keys and not the documents.
  indexes: [{ name: 'name', key: { name: 1 } }, unauditedIndex],
}
