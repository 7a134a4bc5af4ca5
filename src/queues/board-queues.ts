import { once } from 'node:events'
import type { Queue } from 'bullmq'
import { type QueueName, queueNames } from '../../schemas/jobs.ts'
import type { Log } from '../platform/log.ts'
import { openFailingFast } from './open-redis.ts'
import { createOpener, type QueuesConfig } from './queues.ts'

const timeoutMs = 2000

export type BoardQueues = ReturnType<typeof openBoardQueues>

/** Has a connection of its own, so that staff pages never delay enqueueing. Most processes never open it. */
export function openBoardQueues(config: QueuesConfig, log: Log) {
  const { connection, complain } = openFailingFast(config, log, timeoutMs, true)
  const { obtain, close } = createOpener(connection, config.queuePrefix, complain, async () => {
    if (connection.status === 'ready') return
    const ready = once(connection, 'ready', { signal: AbortSignal.timeout(timeoutMs) })
    // The client emits a failure as an `error` event, and reconnects by itself.
    if (connection.status === 'wait') connection.connect().catch(() => undefined)
    await ready
  })
  return {
    obtain: async (): Promise<ReadonlyMap<QueueName, Queue>> =>
      new Map(await Promise.all(queueNames.map(async (name) => [name, await obtain(name)] as const))),
    close,
  }
}

/** Whether Redis was down, frozen or full. Other errors are bugs. */
export const isRedisFault = (error: unknown): boolean =>
  error instanceof Error &&
  (/^(ReplyError|MaxRetriesPerRequestError|AbortError|ClusterAllFailedError)$/.test(error.name) ||
    /Command timed out|Connection is closed|isn't (writeable|ready)|not connected|ECONN|ETIMEDOUT|redirections|sentinels/.test(
      error.message,
    ))
