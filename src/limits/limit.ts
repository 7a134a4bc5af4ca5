import { type Refusal, refuse } from '../errors.ts'

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
  /** The environment variable or the command that changes the limit. */
  setBy?: string
  metric?: string
}

/** The error of a caller that is over a limit of its own. Only the limits in this folder throw it. */
export const rateLimited = (
  message: string | undefined,
  details: { scope: Scope; limit: number; windowSeconds?: number },
  retryAfterSeconds = 1,
): Refusal => refuse('RATE_LIMITED', { ...(message && { message }), details, retryAfterSeconds })
