import { type Refusal, refuse } from '../errors.ts'
import type { Cause } from '../outbox/event.ts'

/**
 * What an operation knows of the write it serves. `id` is the same for every try of one request: what is created
 * has it as `_id`, what is changed records it in the same guarded write, so that no effect happens twice.
 */
export interface Effect {
  id: string
  /** The caller's deadline on `performance.now()`. */
  deadlineAt: number
  /** The try of the request that is under way. */
  cause: Cause | null
  /** Seals the response that `data` will become, for a create that stores it in the same insert (recall.ts). */
  seal(data: unknown): string
}

/**
 * How many effects a document remembers: as many as an intent may have refunds (intents/refunds/hold.ts). A product whose stock moves
 * all the time makes so many changes within seconds, and a retry of one that came before them finds no trace of itself: such a
 * change is guarded by `unlessForgotten`.
 */
export const longestMemory = 1000

/**
 * So many older effects, and none less, tell that the memory reaches back to before an effect began. Ids ascend in time, but to the second only, and
 * who asked first may be written later: a few older ones tell nothing.
 */
const margin = longestMemory / 2

/**
 * The guard of a change that is not in the memory, and cannot have been pushed out of it: that is not full, or still has enough effects of
 * before this one began. An expression, so that a `$` of the update stands for a place in no other list than its own.
 */
export const unlessForgotten = (effectId: string) => ({
  $expr: {
    $and: [
      { $not: [{ $in: [effectId, '$effects'] }] },
      { $or: [{ $lt: [{ $size: '$effects' }, longestMemory] }, { $gt: [olderThan(effectId), margin] }] },
    ],
  },
})

const olderThan = (effectId: string) => ({
  $size: { $filter: { input: '$effects', cond: { $lt: ['$$this', effectId] } } },
})

/** What a retry hears that is not in the memory and may have been pushed out of it. */
export const forgotten = (): Refusal =>
  refuse('SERVICE_UNAVAILABLE', {
    message:
      'Too many later changes have been made, so the outcome of this one is no longer known. Retrieve the current state, and use a new idempotency key.',
  })

/** Whether that guard refuses one that is not there: nobody can tell any more whether it was made. */
export const isForgotten = (effects: readonly string[], effectId: string): boolean =>
  effects.length >= longestMemory && effects.filter((each) => each < effectId).length <= margin

/** What a change pushes to record whose effect it is. */
export const recorded = (effectId: string) => ({ effects: { $each: [effectId], $slice: -longestMemory } })

/** A create found that an earlier attempt of the same request did its work: the response of that attempt counts. */
export const doneBefore = Symbol('done before')
export type DoneBefore = typeof doneBefore

/** Runs work that waits on MongoDB within what is left of the request's timeouts with it, until `deadlineAt` (mongo/batching/batcher.ts). */
export type WithinDeadline = <T>(work: (deadlineAt: number) => Promise<T>) => Promise<T>

/**
 * What is left to do of an operation that waits on somebody else: answers the data. It does not count against the request's
 * deadline, but for what it spends, and may take the `thirdPartyMs` of its route.
 */
export type ThirdPartyStep = (withinDeadline: WithinDeadline) => Promise<unknown>
