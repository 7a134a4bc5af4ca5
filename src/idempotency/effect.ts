import { type Refusal, refuse } from '../errors.ts'
import type { Cause } from '../outbox/event.ts'

/**
 * The write request that an operation serves. All attempts at one request share `id`. A created document uses the id as
 * its `_id`, and a change records it in the same guarded write, so that no effect happens twice.
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
 * How many effects a document remembers: as many as the refunds that an intent may have (intents/refunds/hold.ts). The
 * stock of a busy product may change more often than this within seconds. A retry of an older change then finds no
 * trace of it, so such changes are guarded by `unlessForgotten`.
 */
export const maxEffects = 1000

/**
 * If more than this many remembered effects are older than an effect, the list reaches back to before that effect
 * began. Fewer prove nothing: ids ascend over time only to the second, and an earlier request may be written later.
 */
const margin = maxEffects / 2

/**
 * A guard that matches if the effect has not happened. The effect must not be among the remembered effects, and cannot
 * have been dropped from them: either the list is not full, or it still contains enough effects from before this one
 * began. The guard is an expression, so that it does not bind the positional `$` of the update.
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

/** The error for a retry whose effect is not among the remembered effects but may have been dropped from them. */
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

/**
 * Returned by a create if an earlier attempt at the same request has already created the document. The client gets that
 * attempt's response.
 */
export const doneBefore = Symbol('done before')
export type DoneBefore = typeof doneBefore

/** Runs work that waits for MongoDB, within the request's remaining time (http/server/deadline.ts). */
export type WithinDeadline = <T>(work: (deadlineAt: number) => Promise<T>) => Promise<T>

/**
 * The part of an operation that waits for a third party. Resolves to the response data. It may take the `thirdPartyMs`
 * of its route. Only its waits within `withinDeadline` count against the request's deadline.
 */
export type ThirdPartyStep = (withinDeadline: WithinDeadline) => Promise<unknown>
