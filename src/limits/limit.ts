import type { RateLimitScope } from '../../schemas/responses/failure.ts'
import { type Refusal, refuse } from '../platform/errors.ts'

export interface Limit {
  what: string
  /** What happens beyond the limit: a wait, an error or a closed connection. */
  gets: string
  metric?: string
}

/** The result of `max` may change while a caller waits. `range` describes it in docs/maintainers/limits.md. */
export type OwnerPart =
  | { owner: string; max: number }
  | { owner: string; max: (key: string) => number; range: string }

/** For an owner that has used up its own part, which is the default of `limit`. */
export interface OwnRefusal {
  scope: RateLimitScope
  message: string
  limit?: number
}

export interface Resource extends Limit, Partial<OwnRefusal> {
  /** By default, only the parts are limited. */
  total?: number
  /** Of nested owners. The outermost come first, and share the resource fairly. */
  parts: readonly [OwnerPart, ...OwnerPart[]]
  /** An owner gets more only while as much stays free as it would then have. */
  leavesFree?: true
  unit?: 'bytes'
  /** Calls of one owner at the last level. The default is 100. */
  maxWaiting?: number
}

export const rateLimited = (
  message: string | undefined,
  details: { scope: RateLimitScope; limit: number; windowSeconds?: number },
  retryAfterSeconds = 1,
): Refusal => refuse('RATE_LIMITED', { ...(message && { message }), details, retryAfterSeconds })
