import type { RedisConnection } from './open-redis.ts'

/** A Redis command with a key and one numeric argument. */
type Command = readonly [name: string, key: string, argument: number]

/**
 * Runs commands in one transaction and returns the response to each command, or null for a command that does not suit
 * its key's value. Redis runs either all of the commands or none. This function never throws. It returns null if Redis
 * is down, frozen or full. In that case, it is unknown whether the commands ran.
 */
export type RunCommands = (commands: readonly Command[]) => Promise<unknown[] | null>

export const createRunCommands =
  (connection: RedisConnection, complain: (fields: object) => void): RunCommands =>
  async (commands) => {
    // The failure has already been logged when the connection emitted an `error` event.
    if (connection.status !== 'ready') return null
    try {
      const responses = (await connection.multi(commands.map((command) => [...command])).exec()) ?? []
      const fault = responses.find(([error]) => error !== null)?.[0]
      if (fault) complain({ err: fault })
      return responses.map(([error, response]) => (error === null ? response : null))
    } catch (err) {
      complain({ err })
      return null
    }
  }
