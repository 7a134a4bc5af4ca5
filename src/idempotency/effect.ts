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

/** The number of effects that a document remembers. */
export const maxEffects = 1000

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
