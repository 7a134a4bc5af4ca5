import type { RunCommands } from '../../queues/commands.ts'

/** The name of a shared sum and the amount to add to it. */
export type Addition = readonly [name: string, by: number]

/**
 * Adds to sums that all processes share, and returns the new sums. Each sum is removed `livesMs` after the last
 * addition to it. Redis applies either all of the additions or none of them. Returns null if Redis is down, frozen or
 * full, in which case it is unknown whether the additions were applied.
 */
export type AddUp = (additions: readonly Addition[], livesMs: number) => Promise<number[] | null>

/** Creates a function that keeps the sums in Redis, under keys with this prefix. */
export const createAddUp =
  (runCommands: RunCommands, prefix: string): AddUp =>
  async (additions, livesMs) => {
    const responses = await runCommands([
      ...additions.map(([name, by]) => ['incrby', `${prefix}:${name}`, by] as const),
      ...additions.map(([name]) => ['pexpire', `${prefix}:${name}`, livesMs] as const),
    ])
    return responses && responses.slice(0, additions.length).map(Number)
  }
