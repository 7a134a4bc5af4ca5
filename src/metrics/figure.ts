import type { Gauge } from '@prometheus-io/client'
import type { Deps } from '../platform/deps.ts'
import { shareRuns } from '../platform/share-runs.ts'
import { inTime } from '../platform/timeout.ts'
import { omit } from './metrics.ts'

/** One or more gauges whose values are read from MongoDB or Redis during a scrape. */
export interface Figure {
  /** How long a value is reused, so that frequent scrapes do not add load to the databases. */
  keptMs: number
  /** Queries the database and sets the gauges. */
  read(): Promise<void>
  /** Removes the gauges' previous values if the database does not respond. */
  leaveOut(): void
}

/** The `keptMs` of a figure whose query reads only a few keys. */
export const briefMs = 5_000
/** The `keptMs` of a figure whose query reads many keys or whose value changes slowly. */
export const minuteMs = 60_000

/** Creates a figure that sets one gauge to the result of `query`. */
export const numberOf = (gauge: Gauge, keptMs: number, query: () => Promise<number | null>): Figure => ({
  keptMs,
  async read() {
    const value = await query()
    if (value === null) omit(gauge)
    else gauge.set(value)
  },
  leaveOut: () => omit(gauge),
})

/** Creates a figure whose query sets several gauges, or one for several labels. */
export const figureOf = (gauges: Parameters<typeof omit>[0][], keptMs: number, read: Figure['read']): Figure => ({
  keptMs,
  read,
  leaveOut: () => gauges.forEach(omit),
})

/** Creates a figure that reports whether a server responds, and how quickly. */
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
 * MongoDB aborts a query after this time, and the scrape stops waiting for the query. All queries run in parallel, so
 * the whole scrape takes no longer than this. Prometheus would wait up to 10 s.
 */
export const queryTimeoutMs = 1500

/**
 * Returns a function that updates a figure within `queryTimeoutMs`. That function never throws, and it runs at most one
 * query at a time.
 */
export function createRefresh(deps: Pick<Deps, 'now'>, figure: Figure): () => Promise<void> {
  let readAt: number | null = null
  const read = shareRuns(async () => {
    const startedAt = deps.now().getTime()
    await figure.read()
    readAt = startedAt
  })

  return async () => {
    // If the clock has been set back, the value is not considered fresh.
    if (readAt !== null && Math.abs(deps.now().getTime() - readAt) < figure.keptMs) return
    if (!(await inTime(read(), queryTimeoutMs))) figure.leaveOut()
  }
}
