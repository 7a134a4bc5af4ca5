import type { Gauge } from '@prometheus-io/client'
import type { Deps } from '../platform/deps.ts'
import { shareRuns } from '../platform/share-runs.ts'
import { succeedsWithin } from '../platform/timeout.ts'
import { clearGauge } from './metrics.ts'

/** One or more gauges that are read from MongoDB or Redis during a scrape. */
export interface Figure {
  /** How long a value is reused, so that frequent scrapes don't burden the databases. */
  keptMs: number
  read(): Promise<void>
  /** Removes the previous values. Called if the database doesn't respond. */
  leaveOut(): void
}

/** For queries that read only a few keys. */
export const briefMs = 5_000
/** For queries that read many keys, and for values that change slowly. */
export const minuteMs = 60_000

/** Sets one gauge, or leaves it out if `query` returns null. */
export const numberOf = (gauge: Gauge, keptMs: number, query: () => Promise<number | null>): Figure => ({
  keptMs,
  async read() {
    const value = await query()
    if (value === null) clearGauge(gauge)
    else gauge.set(value)
  },
  leaveOut: () => clearGauge(gauge),
})

/** Sets several gauges, or one gauge for several labels. */
export const figureOf = (
  gauges: Parameters<typeof clearGauge>[0][],
  keptMs: number,
  read: Figure['read'],
): Figure => ({
  keptMs,
  read,
  leaveOut: () => gauges.forEach(clearGauge),
})

/** Reports whether a server responds, and how quickly. */
export const pingOf = (up: Gauge, seconds: Gauge, ping: () => Promise<unknown>): Figure => ({
  keptMs: 0,
  async read() {
    const startedAt = performance.now()
    await ping()
    up.set(1)
    seconds.set((performance.now() - startedAt) / 1000)
  },
  leaveOut() {
    up.set(0)
    clearGauge(seconds)
  },
})

/**
 * After this time, MongoDB aborts a query and the scrape stops waiting for it. Queries run in parallel, so the whole
 * scrape takes no longer. Prometheus would wait up to 10 s.
 */
export const queryTimeoutMs = 1500

/** The returned function never throws, and runs at most one query at a time. */
export function createRefresh(deps: Pick<Deps, 'now'>, figure: Figure): () => Promise<void> {
  let readAt: number | null = null
  const read = shareRuns(async () => {
    const startedAt = deps.now().getTime()
    await figure.read()
    readAt = startedAt
  })

  return async () => {
    // If the clock was set back, the value isn't fresh either.
    if (readAt !== null && Math.abs(deps.now().getTime() - readAt) < figure.keptMs) return
    if (!(await succeedsWithin(read(), queryTimeoutMs))) figure.leaveOut()
  }
}
