import type { Redis } from 'ioredis'
import type { Log } from '../../src/log.ts'

/**
 * Says once if Redis drops keys when it is full: jobs then vanish without an error and their work waits for a poll. Where one may not
 * ask (`INFO` forbidden), nothing is said.
 */
export async function warnOfEviction(connection: Redis, log: Log): Promise<void> {
  const memory = await connection.info('memory').catch(() => '')
  const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1]
  if (policy !== undefined && policy !== 'noeviction') log.warn({ policy }, 'redis.evicts')
}
