import type { Refusal } from '../../errors.ts'

/**
 * A parsed request body. `value` is the operation's input. `params` is compared in order to detect whether an
 * idempotency key is being reused for a different request.
 */
export interface ParsedBody {
  value: unknown
  params: unknown
}

/**
 * A parsed body, or the error for an unreadable one. The error is thrown only after the idempotency key has been
 * checked (step 11 in the order of checks, docs/maintainers/decisions.md).
 */
export type Body = ParsedBody | { refusal: Refusal }
