import { setTimeout as pause } from 'node:timers/promises'
import type { Deps } from '../../src/deps.ts'
import { expireDue } from '../../src/intents/expire-due.ts'
import { queryDueWallets } from '../../src/intents/query-due-wallets.ts'
import { pollOutboxes } from '../../src/outbox/sweep.ts'
import type { QueueName } from '../../src/queues/jobs.ts'
import { requestNight } from '../../src/retention/request-night.ts'
import { attemptDue } from '../../src/webhooks/attempts/attempt-due.ts'
import { finishPlans } from '../../src/webhooks/deliveries/requeue.ts'
import { reportFailures } from '../../src/webhooks/endpoints/report-failures.ts'
import { workOnReplays } from '../../src/webhooks/replays/run.ts'

/**
 * A repeated search for due work in MongoDB. Each process polls regularly for the work of its own queues, and jobs only
 * make the work start sooner. Therefore all work continues while Redis is down, except for the nightly clean-up and the
 * list of failed jobs for support staff.
 */
interface Poll {
  everyMs: number
  /** Finds and does due work, but only a limited amount for each business. Returns the number of items found. */
  look(deps: Deps): Promise<number>
}

const polls: Partial<Record<QueueName, Poll>> = {
  'outbox-relay': { everyMs: 2_000, look: pollOutboxes },
  // A lease lasts 10 s. `attemptDue` skips deliveries until 0.5 s after their lease has ended, and the next poll
  // follows within about 2 s. Another worker therefore takes over the deliveries of a dead worker within 13 s.
  'webhook-delivery': { everyMs: 2_000, look: attemptDue },
  'intent-expiry': { everyMs: 2_000, look: expireDue },
  'wallet-outcome': { everyMs: 2_000, look: queryDueWallets },
  maintenance: { everyMs: 6_000, look: finishLeftovers },
}

/**
 * If a poll finds at least this many items, there may be more work than the poll was allowed to do for a business, so
 * the next poll starts sooner.
 */
const manyFound = 500
const soonMs = 250

/** Starts polling, and the work on replays. `stop` ends both, and resolves once neither is running. */
export function startPolling(deps: Deps): { stop(): Promise<void> } {
  const ending = new AbortController()
  const { signal } = ending
  const running = deps.config.workerQueues.flatMap((queue) => {
    const poll = polls[queue]
    return poll === undefined ? [] : pollRepeatedly(deps, queue, poll, signal)
  })
  if (deps.config.workerQueues.includes('webhook-delivery')) running.push(workOnReplays(deps, signal))
  return {
    async stop() {
      ending.abort()
      await Promise.all(running)
    },
  }
}

/** Polls until `signal` is aborted. The pauses are random, so that the processes do not all poll at the same time. */
async function pollRepeatedly(
  deps: Deps,
  queue: QueueName,
  { everyMs, look }: Poll,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    let found = 0
    try {
      await deps.databaseTime.unsure()
      found = await look(deps)
      if (found > 0) deps.log.info({ queue, found }, 'poll.found')
      deps.metrics.gauges.lastPollAt.set({ queue }, deps.now().getTime() / 1000)
    } catch (err) {
      deps.log.warn({ err, queue }, 'poll.failed')
    }
    const pauseMs = found < manyFound ? everyMs * (0.8 + Math.random() * 0.2) : soonMs
    await pause(pauseMs, undefined, { signal }).catch(() => undefined)
  }
}

/**
 * Finishes the re-queues that dead processes have left unfinished. Also reports failing endpoints, and enqueues the
 * nightly clean-up if it is due. If one of these parts fails, the others still run, and the first error is thrown at
 * the end.
 */
export async function finishLeftovers(deps: Deps): Promise<number> {
  const parts = [
    () => reportFailures(deps),
    () => finishPlans(deps),
    async () => {
      await requestNight(deps)
      return 0
    },
  ]
  let found = 0
  const faults: unknown[] = []
  for (const part of parts)
    try {
      found += await part()
    } catch (error) {
      faults.push(error)
    }
  if (faults.length > 0) throw faults[0]
  return found
}
