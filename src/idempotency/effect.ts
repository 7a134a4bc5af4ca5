import { type Refusal, refuse } from '../errors.ts'
import type { Cause } from '../outbox/event.ts'

/**
 * The write request that an operation serves. All attempts of one request share `id`. A created document has it as
 * `_id`, and a change records it in the same guarded write, so that no effect happens twice.
 */
export interface Effect {
  id: string
  /** The caller's deadline on `performance.now()`. */
  deadlineAt: number
  /** The attempt that is running. */
  cause: Cause | null
  /** Seals the response that `data` will become, for a create that stores it in the same insert (recall.ts). */
  seal(data: unknown): string
}

/**
 * How many effects a document remembers: as many as an intent may have refunds (intents/refunds/hold.ts). The stock of
 * a busy product may change more often than this within seconds. A retry of an older change then finds no trace of it,
 * so such changes are guarded by `unlessForgotten`.
 */
export const maxEffects = 1000

/**
 * If more than this many effects are older than an effect, the memory reaches back to before it began. Fewer prove
 * nothing: ids ascend in time only to the second, and an earlier request may be written later.
 */
const margin = maxEffects / 2

/**
 * A guard that matches if the effect has not happened. The effect must not be in the memory, and cannot have been
 * pushed out of it: the memory is not full, or still has enough effects from before this one began. The guard is an
 * expression, so that it does not bind the positional `$` of the update.
 */
export const unlessForgotten = (effectId: string) => ({
  $expr: {
    $and: [
      { $not: [{ $in: [effectId, '$effects'] }] },
      { $or: [{ $lt: [{ $size: '$effects' }, maxEffects] }, { $gt: [olderThan(effectId), margin] }] },
    ],
  },
})

const olderThan = (effectId: string) => ({
  $size: { $filter: { input: '$effects', cond: { $lt: ['$$this', effectId] } } },
})

/** The refusal of a retry whose effect is not in the memory but may have been pushed out of it. */
export const forgotten = (): Refusal =>
  refuse('SERVICE_UNAVAILABLE', {
    message:
      'Too many later changes have been made, so the outcome of this one is no longer known. Retrieve the current state, and use a new idempotency key.',
  })

/** Whether `unlessForgotten` refuses an effect that is not in `effects`. Its outcome is then no longer known. */
export const isForgotten = (effects: readonly string[], effectId: string): boolean =>
  effects.length >= maxEffects && effects.filter((each) => each < effectId).length <= margin

/** The `$push` that records the effect of a change. */
export const recorded = (effectId: string) => ({ effects: { $each: [effectId], $slice: -maxEffects } })

/** Returned by a create if an earlier attempt of the same request did its work. The response of that attempt counts. */
export const doneBefore = Symbol('done before')
export type DoneBefore = typeof doneBefore

/** Runs work that waits for MongoDB, within the time that the request has left for it (http/server/deadline.ts). */
export type WithinDeadline = <T>(work: (deadlineAt: number) => Promise<T>) => Promise<T>

/**
 * The part of an operation that waits for a third party. Resolves to the response data. It may take the `thirdPartyMs`
 * of its route. Only its waits within `withinDeadline` count against the request's deadline.
 */
export type ThirdPartyStep = (withinDeadline: WithinDeadline) => Promise<unknown>
