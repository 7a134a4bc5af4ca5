import { type Refusal, refuse } from '../platform/errors.ts'

/** Where a request was limited, as `details.scope` of RATE_LIMITED. */
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

/** What the table of limits says about each limit (docs/maintainers/limits.md). */
export interface Limit {
  /** What is limited. */
  what: string
  /** What a caller gets beyond the limit: a wait, an error or a closed connection. */
  gets: string
  metric?: string
}

/**
 * A part of a resource that one owner may hold. `max` may depend on the owner, and may change while it waits. If it is
 * a function, `range` describes what it returns in the table of limits.
 */
export type Part = { owner: string; max: number } | { owner: string; max: (key: string) => number; range: string }

/** The error for an owner that has used up its own part. `limit` is that part by default. */
export interface OwnRefusal {
  scope: Scope
  message: string
  limit?: number
}

/** Something of which a process has a fixed amount, such as slots, connections or bytes of memory. */
export interface Resource extends Limit {
  /** How much the process has. `Infinity` if only the parts are limited. */
  total: number
  /** The parts of nested owners. The resource is shared fairly among the owners of the first one. */
  parts: readonly [Part, ...Part[]]
  /**
   * An owner gets more only while at least as much stays free as it then holds, so that something is left for others.
   */
  leavesFree?: true
  refusal?: OwnRefusal
  /** The unit that the table of limits uses. A plain number by default. */
  unit?: 'bytes'
  /** How many calls of one owner (at the last level) may be waiting for it. The default is 100. */
  maxWaiting?: number
}

/** The error of a caller that is over a limit of its own. Only the limits in this folder throw it. */
export const rateLimited = (
  message: string | undefined,
  details: { scope: Scope; limit: number; windowSeconds?: number },
  retryAfterSeconds = 1,
): Refusal => refuse('RATE_LIMITED', { ...(message && { message }), details, retryAfterSeconds })
