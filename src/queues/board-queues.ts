import { once } from 'node:events'
import type { Queue } from 'bullmq'
import { type QueueName, queueNames } from '../../schemas/jobs.ts'
import type { Log } from '../platform/log.ts'
import { openFailingFast } from './open-redis.ts'
import { openQueue, type QueuesConfig } from './queues.ts'

/** How long a staff page waits for Redis. */
const timeoutMs = 2000

export type BoardQueues = ReturnType<typeof openBoardQueues>

/**
 * Uses a connection of its own, so that staff pages never delay enqueueing. It's opened on first use, because most
 * `web` processes never show the job board and a `worker` can't.
 */
export function openBoardQueues(config: QueuesConfig, log: Log) {
  const { connection, complain } = openFailingFast(config, log, timeoutMs, true)
  const opened = new Map<QueueName, Queue>()
  let opening: Promise<void> | null = null

  async function open(): Promise<void> {
    if (connection.status !== 'ready') {
      const ready = once(connection, 'ready', { signal: AbortSignal.timeout(timeoutMs) })
      // The client emits a failure as an `error` event, and reconnects by itself.
      if (connection.status === 'wait') connection.connect().catch(() => undefined)
      await ready
    }
    for (const name of queueNames)
      if (!opened.has(name)) opened.set(name, await openQueue(connection, config.queuePrefix, name, complain))
  }

  return {
    /** Connects to Redis on the first call. Throws within a few seconds if Redis is down. */
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

/** Whether Redis was down, frozen or full. Other errors are bugs. */
export const isRedisFault = (error: unknown): boolean =>
  error instanceof Error &&
  (/^(ReplyError|MaxRetriesPerRequestError|AbortError|ClusterAllFailedError)$/.test(error.name) ||
    /Command timed out|Connection is closed|isn't (writeable|ready)|not connected|ECONN|ETIMEDOUT|redirections|sentinels/.test(
      error.message,
    ))
