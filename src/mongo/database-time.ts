import mongoose, { type Connection } from 'mongoose'
import type { Log } from '../platform/log.ts'
import { shareRuns } from '../platform/share-runs.ts'

/**
 * The only clock that the service uses: the clock of MongoDB's primary. Each process measures this time and
 * extrapolates from the measurement with a monotonic clock, so the wall clock of the process's machine has no effect.
 */
export type DatabaseTime = ReturnType<typeof createDatabaseTime>

/**
 * This process's clocks. The monotonic clock keeps running while the process is frozen, but it may stop while the
 * machine sleeps.
 */
export interface OwnClocks {
  wallMs(): number
  monotonicMs(): number
}

/** Reads MongoDB's clock, in ms since the epoch. Throws if MongoDB does not respond. */
export type ReadClock = () => Promise<number>

/**
 * Converts database time to the time that `now` returns, so that tests can shift the time. Production uses `noShift`.
 */
export type Shift = (databaseMs: number) => number

/** The database time at a given reading of the monotonic clock. */
interface Measurement {
  databaseMs: number
  monotonicMs: number
  /**
   * The largest possible error of `databaseMs`, which is half the duration of the round trip plus half a millisecond
   * for MongoDB's rounding.
   */
  errorMs: number
}

/**
 * The largest error at which the time still counts as known. The times in two processes therefore differ by at most
 * twice this error (`maxClockSkewMs` in src/intents/lifecycle.ts).
 */
const maxErrorMs = 500
/**
 * The maximum drift between a monotonic clock and MongoDB's clock, in ms per ms. NTP slews each of the two clocks at no
 * more than half of this rate.
 */
const driftPerMs = 0.001
/**
 * The wall clock and the monotonic clock of a process diverge by more than this only if the machine slept or the wall
 * clock was set.
 */
const maxClockDifferenceMs = 1000
const measureEveryMs = 10_000
const measureAgainMs = 1000
/** If a measurement's error is larger than this, the next measurement is made after `measureAgainMs`. */
const goodErrorMs = 5
/**
 * The number of measurements at start-up. The best of them is used, because the first round trips of a process are its
 * slowest.
 */
const firstMeasurements = 3

/** The shift that production uses, which leaves the time unchanged. */
export const noShift: Shift = (databaseMs) => databaseMs

const ownClocks: OwnClocks = { wallMs: () => Date.now(), monotonicMs: () => performance.now() }

/**
 * Measures the time immediately, then every 10 s, and whenever the driver finds a new primary. Throws if MongoDB does
 * not respond.
 */
export async function openDatabaseTime(mongo: Connection, log: Log, shift: Shift): Promise<DatabaseTime> {
  const time = createDatabaseTime(() => readClockOf(mongo), ownClocks, log, shift)
  const client = mongo.getClient()
  const measure = (): void => time.measureSoon()
  client.on('topologyDescriptionChanged', measure)
  const close = (): void => {
    client.off('topologyDescriptionChanged', measure)
    time.close()
  }
  try {
    await time.begin()
  } catch (error) {
    close()
    throw error
  }
  return { ...time, close }
}

async function readClockOf({ db }: Pick<Connection, 'db'>): Promise<number> {
  if (db === undefined) throw new Error('MongoDB is not connected')
  const { localTime } = (await db.admin().command({ hello: 1 })) as { localTime: Date }
  return localTime.getTime()
}

/** Creates a `DatabaseTime` from the given clocks. The caller must await `begin` before it first calls `now`. */
export function createDatabaseTime(readClock: ReadClock, own: OwnClocks, log: Pick<Log, 'warn'>, shift: Shift) {
  let held: Measurement = { databaseMs: 0, monotonicMs: own.monotonicMs(), errorMs: Number.POSITIVE_INFINITY }
  /** The difference between the wall clock and the monotonic clock at the last measurement. */
  let wallAheadMs = 0
  let shownMs = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const wallAhead = (): number => own.wallMs() - own.monotonicMs()
  const timeAt = (monotonicMs: number): number => held.databaseMs + monotonicMs - held.monotonicMs
  const errorAt = (monotonicMs: number): number => held.errorMs + (monotonicMs - held.monotonicMs) * driftPerMs
  const isSure = (): boolean =>
    errorAt(own.monotonicMs()) <= maxErrorMs && Math.abs(wallAhead() - wallAheadMs) <= maxClockDifferenceMs

  async function measureOnce(): Promise<void> {
    const [aheadBefore, sentAt] = [wallAhead(), own.monotonicMs()]
    const shown = await readClock()
    const [aheadAfter, receivedAt] = [wallAhead(), own.monotonicMs()]
    const halfMs = (receivedAt - sentAt) / 2
    // Either the machine slept or its wall clock was set during the round trip, or the round trip was too slow for a
    // useful measurement.
    if (Math.abs(aheadAfter - aheadBefore) > maxClockDifferenceMs || halfMs > maxErrorMs)
      throw new mongoose.mongo.MongoNetworkTimeoutError('MongoDB responds too slowly to measure its clock')
    // MongoDB truncates the time to whole milliseconds, so half a millisecond is added to halve the resulting error.
    take({ databaseMs: shown + 0.5, monotonicMs: sentAt + halfMs, errorMs: halfMs + 0.5 })
    wallAheadMs = aheadAfter
  }

  /**
   * Keeps the more accurate of the last measurement and the new one. If they contradict each other, a clock was set or
   * the machine slept, so the new measurement is used.
   */
  function take(next: Measurement): void {
    const apartMs = next.databaseMs - timeAt(next.monotonicMs)
    const errorMs = errorAt(next.monotonicMs)
    const agree = Math.abs(apartMs) <= errorMs + next.errorMs
    if (agree && errorMs <= next.errorMs) return
    if (!agree && Math.abs(apartMs) > maxClockDifferenceMs)
      log.warn({ jumpMs: Math.round(apartMs) }, 'clock.database-jumped')
    held = next
  }

  /** Measures the time, and schedules the next measurement whether this one succeeds or fails. */
  async function measureAndSchedule(): Promise<void> {
    clearTimeout(timer)
    let nextInMs = measureAgainMs
    try {
      await measureOnce()
      if (held.errorMs <= goodErrorMs) nextInMs = measureEveryMs
    } finally {
      if (!isClosed) timer = setTimeout(measureSoon, nextInMs).unref()
    }
  }

  /** Measures the time. Concurrent callers share a single measurement. */
  const measure = shareRuns(measureAndSchedule)

  function measureSoon(): void {
    if (!isClosed) measure().catch(() => undefined)
  }

  return {
    now(): Date {
      if (!isSure()) measureSoon()
      const atMs = timeAt(own.monotonicMs())
      // A correction never makes the time go backwards, unless the correction is so large that MongoDB's own clock must
      // have been set back.
      if (atMs > shownMs || shownMs - atMs > maxClockDifferenceMs) shownMs = atMs
      return new Date(shift(shownMs))
    },
    /**
     * Returns null while the time is known to within `maxErrorMs`. Otherwise returns a promise that resolves after a
     * new measurement, or rejects if MongoDB does not respond.
     */
    unsure: (): Promise<void> | null => (isSure() ? null : measure()),
    /** Returns how far this process's wall clock is ahead of database time, in ms. */
    skewMs: (): number => own.wallMs() - timeAt(own.monotonicMs()),
    measureSoon,
    async begin(): Promise<void> {
      for (let measured = 0; measured < firstMeasurements; measured += 1) await measure()
    },
    close(): void {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
