/**
 * What an operation knows of the write it serves. `id` is the same for every try of one request: what is created
 * has it as `_id`, what is changed records it in the same guarded write, so that no effect happens twice.
 */
export interface Effect {
  id: string
  /** The caller's deadline on `performance.now()`. */
  until: number
  /** Seals the answer that `data` will become, for a create that stores it in the same insert. */
  seal(data: unknown): string
}

/**
 * How many effects a document remembers: as many as an intent may have refunds (intents/refunds/under-way.ts), of all changes the one that is
 * made most often. A retry of what came before so many others, within its 24 hours, would find no trace of itself.
 */
export const longestMemory = 1000

/** What a change pushes to record whose effect it is. */
export const recorded = (effectId: string) => ({ effects: { $each: [effectId], $slice: -longestMemory } })

/** A create found that an earlier try of the same request did its work: its sealed answer is what counts. */
export const doneBefore = Symbol('done before')
export type DoneBefore = typeof doneBefore

/** Runs work that waits on MongoDB within what is left of the request's patience with it. */
export type Spend = <T>(work: () => Promise<T>) => Promise<T>

/**
 * What is left to do of an operation that waits on somebody else: answers the data. It does not count against the request's
 * deadline, but for what it spends, and may take the `errandMs` of its route.
 */
export type Errand = (spend: Spend) => Promise<unknown>
