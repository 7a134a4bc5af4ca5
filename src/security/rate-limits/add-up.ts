import type { RunCommands } from '../../queues/commands.ts'

/** The name of a shared sum, and the amount to add. */
export type Addition = readonly [name: string, by: number]

/**
 * Adds to sums that all processes share, and returns the new sums. A sum is removed `livesMs` after its last addition.
 * Redis makes either all additions or none. Returns null if Redis is down, frozen or full. It is then unknown whether
 * the additions were made.
 */
export type AddUp = (additions: readonly Addition[], livesMs: number) => Promise<number[] | null>

/** Keeps the sums in Redis, under keys with this prefix. */
export const createAddUp =
  (runCommands: RunCommands, prefix: string): AddUp =>
  async (additions, livesMs) => {
    const responses = await runCommands([
      ...additions.map(([name, by]) => ['incrby', `${prefix}:${name}`, by] as const),
      ...additions.map(([name]) => ['pexpire', `${prefix}:${name}`, livesMs] as const),
    ])
    return responses && responses.slice(0, additions.length).map(Number)
  }
