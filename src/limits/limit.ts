import type { RateLimitScope } from '../../schemas/responses/failure.ts'
import { type Refusal, refuse } from '../platform/errors.ts'

export interface LimitSummary {
  what: string
  /** What happens once the limit is reached: a wait, an error or a closed connection. */
  gets: string
  metric?: string
}

/** A computed `max` may change while a caller waits. `range` describes it in docs/maintainers/limits.md. */
export type OwnerLimit =
  | { owner: string; max: number }
  | { owner: string; max: (key: string) => number; range: string }

/** The 429 for an owner that has used up its own part. `limit` defaults to that part. */
export interface OwnerRefusal {
  scope: RateLimitScope
  message: string
  limit?: number
}

export interface LimitedResource extends LimitSummary, Partial<OwnerRefusal> {
  /** By default, only the parts are limited. */
  total?: number
  /** Limits per nested owner, outermost first. The outermost owners share the resource fairly. */
  parts: readonly [OwnerLimit, ...OwnerLimit[]]
  /** An owner may hold at most as much as stays free for the others. */
  leavesFree?: true
  unit?: 'bytes'
  /** How many calls of one owner at the last level may wait. The default is 100. */
  maxWaiting?: number
}

export const refuseAtLimit = (
  message: string | undefined,
  details: { scope: RateLimitScope; limit: number; windowSeconds?: number },
  retryAfterSeconds = 1,
): Refusal => refuse('RATE_LIMITED', { ...(message && { message }), details, retryAfterSeconds })
