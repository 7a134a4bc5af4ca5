import type { Redis } from 'ioredis'
import type { Log } from '../../src/process/log.ts'

/**
 * Logs a warning if Redis evicts keys when it is full: jobs would vanish without an error, and their work would wait for a poll. Logs nothing
 * if `INFO` is forbidden.
 */
export async function warnOfEviction(connection: Redis, log: Log): Promise<void> {
  const memory = await connection.info('memory').catch(() => '')
  const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1]
  if (policy !== undefined && policy !== 'noeviction') log.warn({ policy }, 'redis.evicts')
}
