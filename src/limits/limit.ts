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
  /** What one owner can always get, however many processes share `total`. */
  least?: number
}

/**
 * Divides what protects the machine. Limits without a `total` only keep one
 * business from another, so they stay as merchants know them.
 */
export const divideLimits = <Limits extends Record<string, LimitedResource>>(
  limits: Limits,
  processes: number,
): Limits =>
  Object.fromEntries(
    Object.entries(limits).map(([name, limit]) => [name, divideLimit(limit, processes)]),
  ) as Limits

function divideLimit(limit: LimitedResource, processes: number): LimitedResource {
  const { total, parts, least = 1, leavesFree } = limit
  if (total === undefined) return limit
  const portion = (amount: number, min: number) => Math.max(min, Math.ceil(amount / processes))
  const divided = parts.map((part) =>
    typeof part.max === 'number' ? { ...part, max: portion(part.max, Math.min(part.max, least)) } : part,
  )
  // An owner gets at most half of a total that must leave as much free.
  return {
    ...limit,
    total: portion(total, leavesFree ? 2 * least : least),
    parts: divided as [PerOwnerLimit],
  }
}

export const refuseAtLimit = (
  message: string | undefined,
  details: { scope: RateLimitScope; limit: number; windowSeconds?: number },
  retryAfterSeconds = 1,
): Refusal => refuse('RATE_LIMITED', { ...(message && { message }), details, retryAfterSeconds })
