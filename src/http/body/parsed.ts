import type { Refusal } from '../../errors.ts'

/**
 * `value` is the operation's input. `params` is compared to detect different requests with the same idempotency key.
 */
export interface ParsedBody {
  value: unknown
  params: unknown
}

/**
 * A parsed body, or the error for an unreadable one. The error is thrown after the idempotency key has been checked
 * (order of checks, 11).
 */
export type Body = ParsedBody | { refusal: Refusal }
