import mongoose, { type Connection } from 'mongoose'
import type { Log } from '../process/log.ts'

/**
 * The only clock of the service: the time of MongoDB's primary. Each process measures it and extrapolates with its
 * monotonic clock, so the wall clock of its machine has no effect.
 */
export interface DatabaseTime {
  now(): Date
  /**
   * Null while the time is known to within `maxErrorMs`. Otherwise resolves after a new measurement, and throws if
   * MongoDB does not respond.
   */
  unsure(): Promise<void> | null
  /** How far the wall clock of this process is ahead of database time, in ms. */
  skewMs(): number
  close(): void
}

/**
 * The clocks of this process. The monotonic one runs while the process is frozen, but perhaps not while its machine
 * sleeps.
 */
export interface OwnClocks {
  wallMs(): number
  monotonicMs(): number
}

/** Reads MongoDB's clock, in ms. Throws if MongoDB does not respond. */
export type ReadClock = () => Promise<number>

/** An offset for tests: maps database time to what `now` returns. Production uses `noShift`. */
export type Shift = (databaseMs: number) => number

/** Database time at one reading of the monotonic clock. */
interface Measurement {
  databaseMs: number
  monotonicMs: number
  /** The largest possible error: half the round trip. */
  errorMs: number
}

/** Two processes that are both sure differ by at most twice this (`maxClockSkewMs` in src/intents/lifecycle.ts). */
const maxErrorMs = 500
/** How far a monotonic clock and MongoDB's clock may drift apart in 1 ms. NTP slews a clock by at most half of this. */
const driftPerMs = 0.001
/** The two clocks of a process diverge by more than this only if the machine slept or the wall clock was set. */
const maxClockDifferenceMs = 1000
const measureEveryMs = 10_000
const measureAgainMs = 1000
/** After a measurement with a larger error, the next one follows in `measureAgainMs`. */
const goodErrorMs = 5
/** Measurements at start-up, of which the best is used: the first round trips of a process are its slowest. */
const firstMeasurements = 3

/** The shift used outside tests: none. */
export const noShift: Shift = (databaseMs) => databaseMs

const ownClocks: OwnClocks = { wallMs: () => Date.now(), monotonicMs: () => performance.now() }

/**
 * Measures immediately, then every 10 s and whenever the driver finds another primary. Throws if MongoDB does not
 * respond.
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

/** A `DatabaseTime` over the given clocks. Await `begin` before the first `now`. */
export function createDatabaseTime(
  readClock: ReadClock,
  own: OwnClocks,
  log: Pick<Log, 'warn'>,
  shift: Shift,
): DatabaseTime & { begin(): Promise<void>; measureSoon(): void } {
  let held: Measurement = { databaseMs: 0, monotonicMs: own.monotonicMs(), errorMs: Number.POSITIVE_INFINITY }
  /** The wall clock minus the monotonic clock at the last measurement. */
  let wallAheadMs = 0
  let shownMs = Number.NEGATIVE_INFINITY
  let measuring: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const wallAhead = (): number => own.wallMs() - own.monotonicMs()
  const timeAt = (monotonicMs: number): number => held.databaseMs + monotonicMs - held.monotonicMs
  const errorAt = (monotonicMs: number): number =>
    held.errorMs + (monotonicMs - held.monotonicMs) * driftPerMs
  const isSure = (): boolean =>
    errorAt(own.monotonicMs()) <= maxErrorMs && Math.abs(wallAhead() - wallAheadMs) <= maxClockDifferenceMs

  async function measureOnce(): Promise<void> {
    const [aheadBefore, sentAt] = [wallAhead(), own.monotonicMs()]
    const shown = await readClock()
    const [aheadAfter, receivedAt] = [wallAhead(), own.monotonicMs()]
    const halfMs = (receivedAt - sentAt) / 2
    // The machine slept during the round trip, or the round trip was too slow for a useful measurement.
    if (Math.abs(aheadAfter - aheadBefore) > maxClockDifferenceMs || halfMs > maxErrorMs)
      throw new mongoose.mongo.MongoNetworkTimeoutError('MongoDB responds too slowly to measure its clock')
    // MongoDB truncates its clock to whole milliseconds.
    take({ databaseMs: shown + 0.5, monotonicMs: sentAt + halfMs, errorMs: halfMs + 0.5 })
    wallAheadMs = aheadAfter
  }

  /**
   * Keeps the better of two measurements. If they contradict each other, a clock was set or the machine slept, so the
   * newer one is used.
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

  /** The next measurement is due whether or not this one succeeds. */
  async function measureAndSchedule(): Promise<void> {
    clearTimeout(timer)
    let nextInMs = measureAgainMs
    try {
      await measureOnce()
      if (held.errorMs <= goodErrorMs) nextInMs = measureEveryMs
    } finally {
      measuring = null
      if (!isClosed) timer = setTimeout(measureSoon, nextInMs).unref()
    }
  }

  /** Concurrent callers share one measurement. */
  function measure(): Promise<void> {
    measuring ??= measureAndSchedule()
    return measuring
  }

  function measureSoon(): void {
    if (!isClosed) measure().catch(() => undefined)
  }

  return {
    now() {
      if (!isSure()) measureSoon()
      const atMs = timeAt(own.monotonicMs())
      // A correction never moves time back, unless it is so large that MongoDB's own clock must have been set back.
      if (atMs > shownMs || shownMs - atMs > maxClockDifferenceMs) shownMs = atMs
      return new Date(shift(shownMs))
    },
    unsure: () => (isSure() ? null : measure()),
    skewMs: () => own.wallMs() - timeAt(own.monotonicMs()),
    measureSoon,
    async begin() {
      for (let measured = 0; measured < firstMeasurements; measured += 1) await measure()
    },
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
