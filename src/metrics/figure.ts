import type { Gauge } from '@prometheus-io/client'
import type { Deps } from '../platform/deps.ts'
import { shareRuns } from '../platform/share-runs.ts'
import { inTime } from '../platform/timeout.ts'
import { omit } from './metrics.ts'

/** One or more gauges, read from MongoDB or Redis during a scrape. */
export interface Figure {
  /** How long a value is reused, so that frequent scrapes don't burden the databases. */
  keptMs: number
  read(): Promise<void>
  /** Drops the previous values if the database doesn't respond. */
  leaveOut(): void
}

/** For queries that read a few keys. */
export const briefMs = 5_000
/** For queries that read many keys, and for values that change slowly. */
export const minuteMs = 60_000

/** One gauge. Null from `query` leaves it out. */
export const numberOf = (gauge: Gauge, keptMs: number, query: () => Promise<number | null>): Figure => ({
  keptMs,
  async read() {
    const value = await query()
    if (value === null) omit(gauge)
    else gauge.set(value)
  },
  leaveOut: () => omit(gauge),
})

/** Several gauges, or one with several labels. */
export const figureOf = (gauges: Parameters<typeof omit>[0][], keptMs: number, read: Figure['read']): Figure => ({
  keptMs,
  read,
  leaveOut: () => gauges.forEach(omit),
})

/** Whether a server responds, and how fast. */
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
    omit(seconds)
  },
})

/**
 * MongoDB aborts a query, and the scrape gives up on it. Queries run in parallel, so this bounds the whole scrape.
 * Prometheus would wait up to 10 s.
 */
export const queryTimeoutMs = 1500

/** Never throws, and runs one query at a time. */
export function createRefresh(deps: Pick<Deps, 'now'>, figure: Figure): () => Promise<void> {
  let readAt: number | null = null
  const read = shareRuns(async () => {
    const startedAt = deps.now().getTime()
    await figure.read()
    readAt = startedAt
  })

  return async () => {
    // A value isn't fresh either if the clock was set back.
    if (readAt !== null && Math.abs(deps.now().getTime() - readAt) < figure.keptMs) return
    if (!(await inTime(read(), queryTimeoutMs))) figure.leaveOut()
  }
}
