import type { Gauge } from 'prom-client'
import type { Deps } from '../deps.ts'
import { inTime } from '../process/timeout.ts'
import { omit } from './gauges.ts'

/** One or more gauges that are read from MongoDB or Redis at a scrape. */
export interface Figure {
  /** How long a value is reused, so that frequent scrapes do not add load to the databases. */
  keptMs: number
  /** Queries the database and sets the gauges. */
  read(): Promise<void>
  /** Removes the old values of the gauges while the database does not respond. */
  leaveOut(): void
}

/** `keptMs` of a query that reads a few keys. */
export const briefMs = 5_000
/** `keptMs` of a query that reads more, or whose result changes slowly. */
export const minuteMs = 60_000

/** A figure that is one number. */
export const numberOf = (gauge: Gauge, keptMs: number, query: () => Promise<number | null>): Figure => ({
  keptMs,
  async read() {
    const value = await query()
    if (value === null) omit(gauge)
    else gauge.set(value)
  },
  leaveOut: () => omit(gauge),
})

/** A figure that shows whether a server responds, and how quickly. */
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
 * MongoDB aborts a query after this, and a scrape does not wait longer for it. All queries run at once, so the scrape
 * takes no longer either. Prometheus stops waiting after 10 s.
 */
export const queryTimeoutMs = 1500

/** Returns a function that updates a figure in bounded time. It never throws, and runs at most one query at a time. */
export function createRefresh(deps: Pick<Deps, 'now'>, figure: Figure): () => Promise<void> {
  let readAt: number | null = null
  let running: Promise<void> | null = null

  async function read(): Promise<void> {
    const startedAt = deps.now().getTime()
    await figure.read()
    readAt = startedAt
  }

  return async () => {
    // If the clock was set back, the value is not fresh.
    if (readAt !== null && Math.abs(deps.now().getTime() - readAt) < figure.keptMs) return
    running ??= read().finally(() => {
      running = null
    })
    if (!(await inTime(running, queryTimeoutMs))) figure.leaveOut()
  }
}
