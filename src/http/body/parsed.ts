import type { Refusal } from '../../errors.ts'

/** `value` is the input of the operation. `params` shows whether two requests with the same idempotency key differ. */
export interface ParsedBody {
  value: unknown
  params: unknown
}

/**
 * A parsed body, or the refusal of an unreadable one, which is thrown after the check of the idempotency key (order of
 * checks, 11).
 */
export type Body = ParsedBody | { refusal: Refusal }
