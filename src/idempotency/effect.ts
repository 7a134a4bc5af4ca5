import { type Refusal, refuse } from '../errors.ts'
import type { Cause } from '../outbox/event.ts'

/**
 * The effect of one write request. All attempts at the request share the same `id`. A create uses this id as the `_id`
 * of the new document, and a change records it in the document in the same guarded write, so that no effect happens
 * twice.
 */
export interface Effect {
  id: string
  /** The caller's deadline, on the clock of `performance.now()`. */
  deadlineAt: number
  /** The HTTP request that is running the effect now. Null if no HTTP request caused the effect. */
  cause: Cause | null
  /** Seals the response built from `data`, for a create that stores the response in the same insert (recall.ts). */
  seal(data: unknown): string
}

/**
 * The number of effects that a document remembers, which equals the maximum number of refunds per intent
 * (intents/refunds/hold.ts). The stock of a busy product may change more than 1 000 times within seconds, so a retry of
 * an older change may no longer find that change's effect. Stock changes are therefore guarded by `unlessForgotten`.
 */
export const maxEffects = 1000

/**
 * If more than this many remembered effects are older than a given effect, the list goes back far enough to contain
 * that effect. A smaller number proves nothing, because ids are in chronological order only to the second, and the
 * effect of an older request may be written later than that of a newer one.
 */
const margin = maxEffects / 2

/**
 * Matches if the effect has certainly not happened. The effect must be missing from the list of remembered effects, and
 * must not have been dropped from that list. It cannot have been dropped if the list is not full, or if the list still
 * contains enough older effects. The guard is an expression, so that it does not bind the update's positional `$`.
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

/**
 * Creates the error for a retry whose effect is not among the remembered effects but may have been dropped from the
 * list.
 */
export const forgotten = (): Refusal =>
  refuse('SERVICE_UNAVAILABLE', {
    message:
      'Too many later changes have been made, so the outcome of this one is no longer known. Retrieve the current state, and use a new idempotency key.',
  })

/**
 * Whether an effect that is missing from `effects` may have been dropped from that list. If so, it is unknown whether
 * the effect happened, and `unlessForgotten` does not match.
 */
export const isForgotten = (effects: readonly string[], effectId: string): boolean =>
  effects.length >= maxEffects && effects.filter((each) => each < effectId).length <= margin

/** Returns the `$push` that records the effect of a change. */
export const recorded = (effectId: string) => ({ effects: { $each: [effectId], $slice: -maxEffects } })

/**
 * Returned by a create if an earlier attempt at the same request has already created the document. The client receives
 * that attempt's response.
 */
export const doneBefore = Symbol('done before')
export type DoneBefore = typeof doneBefore

/** Runs `work`, which waits for MongoDB, within the time that the request has left (http/server/deadline.ts). */
export type WithinDeadline = <T>(work: (deadlineAt: number) => Promise<T>) => Promise<T>

/**
 * The part of an operation that waits for a third party, such as a wallet. It resolves to the response data. The step
 * may take as long as its route's `thirdPartyMs`. Only the time spent inside `withinDeadline` counts towards the
 * request's deadline.
 */
export type ThirdPartyStep = (withinDeadline: WithinDeadline) => Promise<unknown>
