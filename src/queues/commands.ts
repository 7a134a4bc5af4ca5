import type { Redis } from 'ioredis'

/** A command of Redis, its key and an argument. */
type Command = readonly [name: string, key: string, argument: number]

/**
 * Commands that travel together, and the answer to each. All are done or none, also where the process ends half-way. Never throws: null
 * where Redis is away, frozen or full, and then nobody knows which.
 */
export type RunCommands = (commands: readonly Command[]) => Promise<unknown[] | null>

export const createRunCommands =
  (connection: Redis, complain: (fields: object) => void): RunCommands =>
  async (commands) => {
    // Its connection tells of itself.
    if (connection.status !== 'ready') return null
    try {
      const answers = (await connection.multi(commands.map((command) => [...command])).exec()) ?? []
      const fault = answers.find(([error]) => error !== null)?.[0]
      if (fault) throw fault
      return answers.map(([, answer]) => answer)
    } catch (err) {
      complain({ err })
      return null
    }
  }
