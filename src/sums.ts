import type { Redis } from 'ioredis'

/** By how much something grew. */
export type Addition = readonly [name: string, by: number]

/**
 * Adds to numbers that all processes share, and answers what each comes to, in one trip. A number is gone so long after the last
 * addition. Null where Redis is away, frozen or full: then some may have been added and others not.
 */
export type AddUp = (additions: readonly Addition[], livesMs: number) => Promise<number[] | null>

export const createSums =
  (connection: Redis, prefix: string, complain: (fields: object) => void): AddUp =>
  async (additions, livesMs) => {
    // Its connection tells of itself.
    if (connection.status !== 'ready') return null
    const trip = connection.pipeline()
    for (const [name, by] of additions) trip.incrby(`${prefix}:${name}`, by)
    for (const [name] of additions) trip.pexpire(`${prefix}:${name}`, livesMs)
    try {
      const answers = (await trip.exec()) ?? []
      const fault = answers.find(([error]) => error !== null)?.[0]
      if (fault) throw fault
      return answers.slice(0, additions.length).map(([, sum]) => Number(sum))
    } catch (err) {
      complain({ err })
      return null
    }
  }
