import type { RunCommands } from '../../queues/commands.ts'

/** The name of a shared sum and the amount to add to it. */
export type Addition = readonly [name: string, by: number]

/**
 * Adds to sums that all processes share, and returns the new sums. Each sum is removed `livesMs` after the last
 * addition to it. Redis applies either all of the additions or none of them. Returns null if Redis is down, frozen or
 * full, in which case it is unknown whether the additions were applied.
 */
export type AddUp = (additions: readonly Addition[], livesMs: number) => Promise<(number | null)[] | null>

/**
 * Creates a function that keeps the sums in Redis, under keys with this prefix. Without SECRET_KEY, no one knows a key
 * before its second, so no one can set a sum in advance. A sum that cannot be right is null.
 */
export const createAddUp =
  (runCommands: RunCommands, prefix: string, hash: (name: string) => string): AddUp =>
  async (additions, livesMs) => {
    const keyed = additions.map(([name, by]) => [`${prefix}:${hash(name)}`, by] as const)
    const responses = await runCommands([
      ...keyed.map(([key, by]) => ['incrby', key, by] as const),
      ...keyed.map(([key]) => ['pexpire', key, livesMs] as const),
    ])
    return responses && keyed.map(([, by], index) => plausible(Number(responses[index]), by))
  }

const plausible = (sum: number, by: number): number | null => (Number.isSafeInteger(sum) && sum >= by ? sum : null)
