import { type Refusal, refuse } from '../platform/errors.ts'

/** Sent as `details.scope` of RATE_LIMITED. */
export type Scope =
  | 'key'
  | 'address'
  | 'bodies'
  | 'lists'
  | 'responses'
  | 'codes'
  | 'sandbox'
  | 'polls'
  | 'replays'
  | 'tests'
  | 'audit'
  | 'storage'

/** One row of docs/maintainers/limits.md. */
export interface Limit {
  what: string
  /** What happens beyond the limit: a wait, an error or a closed connection. */
  gets: string
  metric?: string
}

/**
 * How much of a resource one owner may use. If `max` is a function, its result may differ per owner and change while a
 * caller waits, and `range` describes it in docs/maintainers/limits.md.
 */
export type Part =
  | { owner: string; max: number }
  | { owner: string; max: (key: string) => number; range: string }

/** The error for an owner that has used up its own part. By default, `limit` is that part. */
export interface OwnRefusal {
  scope: Scope
  message: string
  limit?: number
}

/** Something of which a process has a fixed amount, such as slots, connections or memory. */
export interface Resource extends Limit {
  /** `Infinity` means that only the parts are limited. */
  total: number
  /** Parts of nested owners, outermost first. The outermost owners share the resource fairly. */
  parts: readonly [Part, ...Part[]]
  /** An owner gets more only while as much stays free as it would then have, so something is left for others. */
  leavesFree?: true
  refusal?: OwnRefusal
  /** The unit in docs/maintainers/limits.md. By default, it's a plain number. */
  unit?: 'bytes'
  /** How many calls of one owner (at the last level) may wait. The default is 100. */
  maxWaiting?: number
}

/** Nothing outside this folder throws this error. */
export const rateLimited = (
  message: string | undefined,
  details: { scope: Scope; limit: number; windowSeconds?: number },
  retryAfterSeconds = 1,
): Refusal => refuse('RATE_LIMITED', { ...(message && { message }), details, retryAfterSeconds })
