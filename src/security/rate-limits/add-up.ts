import type { RunCommands } from '../../queues/commands.ts'

/** By how much something grew. */
export type Addition = readonly [name: string, by: number]

/**
 * Adds to numbers that all processes share, and answers what each comes to, in one runCommands. A number is gone so long after the last
 * addition. All are added or none: null where Redis is away, frozen or full, and then nobody knows which.
 */
export type AddUp = (additions: readonly Addition[], livesMs: number) => Promise<number[] | null>

/** Numbers in Redis, beneath a name that is theirs alone. */
export const createAddUp =
  (runCommands: RunCommands, prefix: string): AddUp =>
  async (additions, livesMs) => {
    const answers = await runCommands([
      ...additions.map(([name, by]) => ['incrby', `${prefix}:${name}`, by] as const),
      ...additions.map(([name]) => ['pexpire', `${prefix}:${name}`, livesMs] as const),
    ])
    return answers && answers.slice(0, additions.length).map(Number)
  }
