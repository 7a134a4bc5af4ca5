import type { Gauge } from 'prom-client'
import type { Deps } from '../deps.ts'
import { inTime } from '../process/timeout.ts'
import { omit } from './gauges.ts'

/** Something that MongoDB or Redis is asked for at a scrape. */
export interface Figure {
  /** An answer so old is still told, in ms: it costs the databases the same whoever asks, and however often. */
  keptMs: number
  /** Asks, and sets the gauges. */
  read(): Promise<void>
  /** Sees to it that the gauges tell nothing old while nobody answers. */
  leaveOut(): void
}

/** How long the answer to a question that reads a few keys is told. */
export const briefMs = 5_000
/** The same of one that reads more, or changes slowly. */
export const minuteMs = 60_000

/** A figure that is one number. */
export const numberOf = (gauge: Gauge, keptMs: number, ask: () => Promise<number | null>): Figure => ({
  keptMs,
  async read() {
    const answer = await ask()
    if (answer === null) omit(gauge)
    else gauge.set(answer)
  },
  leaveOut: () => omit(gauge),
})

/** Whether a server answers now, and how quickly. */
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
 * MongoDB gives a question up after this, and nobody waits for a figure longer. All are asked for at once, so a scrape takes no longer
 * either. Prometheus gives up after 10 s.
 */
export const queryTimeoutMs = 1500

/** Brings a figure up to date: in bounded time, never by a fault, and with one question under way at most. */
export function createRefresh(deps: Pick<Deps, 'now'>, figure: Figure): () => Promise<void> {
  let readAt: number | null = null
  let running: Promise<void> | null = null

  async function ask(): Promise<void> {
    const askedAt = deps.now().getTime()
    await figure.read()
    readAt = askedAt
  }

  return async () => {
    // A clock that was set back makes nothing fresh.
    if (readAt !== null && Math.abs(deps.now().getTime() - readAt) < figure.keptMs) return
    running ??= ask().finally(() => {
      running = null
    })
    if (!(await inTime(running, queryTimeoutMs))) figure.leaveOut()
  }
}
