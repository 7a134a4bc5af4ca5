import { once } from 'node:events'
import type { Queue } from 'bullmq'
import { type QueueName, queueNames } from '../../schemas/jobs.ts'
import type { Log } from '../platform/log.ts'
import { openFailingFast } from './open-redis.ts'
import { openQueue, type QueuesConfig } from './queues.ts'

/** The maximum time that a staff page waits for Redis. */
const timeoutMs = 2000

/** All queues, for the job board on the staff pages. */
export type BoardQueues = ReturnType<typeof openBoardQueues>

/**
 * Provides the queues on a separate connection, so that staff pages never delay the enqueueing of jobs. The connection
 * is opened only when the queues are first needed, because most `web` processes never show the board and `worker`
 * processes cannot show it.
 */
export function openBoardQueues(config: QueuesConfig, log: Log) {
  const { connection, complain } = openFailingFast(config, log, timeoutMs, true)
  const opened = new Map<QueueName, Queue>()
  let opening: Promise<void> | null = null

  async function open(): Promise<void> {
    if (connection.status !== 'ready') {
      const ready = once(connection, 'ready', { signal: AbortSignal.timeout(timeoutMs) })
      // A failure need not be handled here, because the client emits it as an `error` event and reconnects on its own.
      if (connection.status === 'wait') connection.connect().catch(() => undefined)
      await ready
    }
    for (const name of queueNames)
      if (!opened.has(name)) opened.set(name, await openQueue(connection, config.queuePrefix, name, complain))
  }

  return {
    /** Returns the queues, and connects to Redis on the first call. If Redis is down, throws within a few seconds. */
    async obtain(): Promise<ReadonlyMap<QueueName, Queue>> {
      if (opened.size < queueNames.length) {
        opening ??= open().finally(() => {
          opening = null
        })
        await opening
      }
      return opened
    },
    async close(): Promise<void> {
      await opening?.catch(() => undefined)
      for (const queue of opened.values()) await queue.close().catch(() => undefined)
      connection.disconnect()
    },
  }
}

/** Returns whether an error occurred because Redis was down, frozen or full, rather than because of a bug. */
export const isRedisFault = (error: unknown): boolean =>
  error instanceof Error &&
  (/^(ReplyError|MaxRetriesPerRequestError|AbortError|ClusterAllFailedError)$/.test(error.name) ||
    /Command timed out|Connection is closed|isn't (writeable|ready)|not connected|ECONN|ETIMEDOUT|redirections|sentinels/.test(
      error.message,
    ))
