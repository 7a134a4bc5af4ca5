import type { RateLimitScope } from '../../schemas/responses/failure.ts'
import { type Refusal, refuse } from '../platform/errors.ts'

export interface LimitSummary {
  what: string
  /** What happens to a caller at the limit, e.g. a wait or an error. */
  gets: string
  metric?: string
}

/** A computed `max` may change while callers wait. */
export type PerOwnerLimit =
  | { owner: string; max: number }
  | { owner: string; max: (key: string) => number; range: string }

/** The error for an owner at its own limit. `limit` defaults to that limit. */
export interface OwnerRefusal {
  scope: RateLimitScope
  message: string
  limit?: number
}

export interface LimitedResource extends LimitSummary, Partial<OwnerRefusal> {
  total?: number
  /** The limits of nested owners, outermost first. */
  parts: readonly [PerOwnerLimit, ...PerOwnerLimit[]]
  /** No owner may hold more than what remains free. */
  leavesFree?: true
  unit?: 'bytes'
  /** How many calls may wait per owner at the innermost level. Default: 100. */
  maxWaiting?: number
}

export const refuseAtLimit = (
  message: string | undefined,
  details: { scope: RateLimitScope; limit: number; windowSeconds?: number },
  retryAfterSeconds = 1,
): Refusal => refuse('RATE_LIMITED', { ...(message && { message }), details, retryAfterSeconds })
