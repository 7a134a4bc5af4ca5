import type { Refusal } from '../../errors.ts'

/** `value` is for the operation; `params` tells the bodies of two requests from one another. */
export interface Read {
  value: unknown
  params: unknown
}

/** A body that was read, or why it could not be; judged only after the idempotency key was (order of checks, 11). */
export type Body = Read | { refusal: Refusal }
