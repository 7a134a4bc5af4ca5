import { type Refusal, refuse } from '../platform/errors.ts'

/** `details.scope` of RATE_LIMITED. */
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

/** A row of docs/maintainers/limits.md. */
export interface Limit {
  what: string
  /** What happens beyond the limit: a wait, an error or a closed connection. */
  gets: string
  metric?: string
}

/**
 * What one owner may have of a resource. `max` may differ per owner and change while someone waits; `range` then
 * describes it in docs/maintainers/limits.md.
 */
export type Part = { owner: string; max: number } | { owner: string; max: (key: string) => number; range: string }

/** For an owner that has used up its part. `limit` is that part unless given. */
export interface OwnRefusal {
  scope: Scope
  message: string
  limit?: number
}

/** What a process has a fixed amount of: slots, connections, memory. */
export interface Resource extends Limit {
  /** `Infinity` if only the parts are limited. */
  total: number
  /** Parts of nested owners. The first level shares fairly. */
  parts: readonly [Part, ...Part[]]
  /** An owner gets more only while as much stays free as it would then have, so something is left for others. */
  leavesFree?: true
  refusal?: OwnRefusal
  /** For docs/maintainers/limits.md. Without it, a plain number. */
  unit?: 'bytes'
  /** How many calls of one owner, at the last level, may wait. 100 by default. */
  maxWaiting?: number
}

/** Only this folder throws it. */
export const rateLimited = (
  message: string | undefined,
  details: { scope: Scope; limit: number; windowSeconds?: number },
  retryAfterSeconds = 1,
): Refusal => refuse('RATE_LIMITED', { ...(message && { message }), details, retryAfterSeconds })
