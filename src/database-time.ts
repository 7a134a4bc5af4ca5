import mongoose, { type Connection } from 'mongoose'
import type { Log } from './log.ts'

/**
 * The one clock that decides: the time of MongoDB's primary. Each process measures it and goes on from the last measurement by its
 * monotonic clock, so the wall clock of its machine decides nothing, whatever it says.
 */
export interface DatabaseTime {
  now(): Date
  /** Null when the time is known to within `mostErrorMs`; otherwise resolves when it is again. Throws where MongoDB does not respond. */
  unsure(): Promise<void> | null
  /** How far the wall clock of this process is ahead of database time, in ms. */
  skewMs(): number
  close(): void
}

/** The clocks of this process. The monotonic one goes on while the process is frozen, but perhaps not while its machine sleeps. */
export interface OwnClocks {
  wallMs(): number
  monotonicMs(): number
}

/** What MongoDB's clock shows, in ms. Throws where MongoDB does not respond. */
export type ReadClock = () => Promise<number>

/** The one offset of tests: what `now` returns at an instant of database time. Production has none. */
export type Shift = (databaseMs: number) => number

/** Database time at an instant of the monotonic clock. */
interface Measurement {
  databaseMs: number
  monotonicMs: number
  /** It may be wrong by so much: half of the round trip. */
  errorMs: number
}

/** Two processes that are both sure are within twice this of each other (`apartAtMostMs` in src/intents/lifecycle.ts). */
const mostErrorMs = 500
/** How far a monotonic clock and MongoDB's may drift apart in 1 ms. NTP slews a clock by half of this at most. */
const driftPerMs = 0.001
/** The own clocks go apart by more than this only where the machine slept or somebody set the wall clock. */
const ownClocksApartMs = 1000
const measureEveryMs = 10_000
const measureAgainMs = 1000
/** What a measurement should be good to; a worse one is repeated as if it had failed. */
const goodErrorMs = 5
/** The first measurement is the best of these: the first round trips of a process are its slowest. */
const firstMeasurements = 3

/** Outside tests, database time is what it is. */
export const unshifted: Shift = (databaseMs) => databaseMs

const ownClocks: OwnClocks = { wallMs: () => Date.now(), monotonicMs: () => performance.now() }

/** Measures first, then every 10 s, and whenever the driver finds another primary. Throws where MongoDB does not respond. */
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

/** `DatabaseTime` over any clocks. `begin` must have resolved before the first `now`. */
export function createDatabaseTime(
  readClock: ReadClock,
  own: OwnClocks,
  log: Pick<Log, 'warn'>,
  shift: Shift,
): DatabaseTime & { begin(): Promise<void>; measureSoon(): void } {
  let held: Measurement = { databaseMs: 0, monotonicMs: own.monotonicMs(), errorMs: Number.POSITIVE_INFINITY }
  /** The wall clock less the monotonic one at the last measurement. */
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
    errorAt(own.monotonicMs()) <= mostErrorMs && Math.abs(wallAhead() - wallAheadMs) <= ownClocksApartMs

  async function measureOnce(): Promise<void> {
    const [aheadBefore, sentAt] = [wallAhead(), own.monotonicMs()]
    const shown = await readClock()
    const [aheadAfter, heardAt] = [wallAhead(), own.monotonicMs()]
    const halfMs = (heardAt - sentAt) / 2
    // The machine slept while MongoDB's response was on its way, or the round trip took too long to tell the time by.
    if (Math.abs(aheadAfter - aheadBefore) > ownClocksApartMs || halfMs > mostErrorMs)
      throw new mongoose.mongo.MongoNetworkTimeoutError('MongoDB responds too slowly to tell the time by')
    // MongoDB cuts its clock to a whole millisecond.
    take({ databaseMs: shown + 0.5, monotonicMs: sentAt + halfMs, errorMs: halfMs + 0.5 })
    wallAheadMs = aheadAfter
  }

  /** Keeps whichever measurement is better now. Where both cannot be right, a clock was set or the machine slept: the newer one counts. */
  function take(next: Measurement): void {
    const apartMs = next.databaseMs - timeAt(next.monotonicMs)
    const errorMs = errorAt(next.monotonicMs)
    const agree = Math.abs(apartMs) <= errorMs + next.errorMs
    if (agree && errorMs <= next.errorMs) return
    if (!agree && Math.abs(apartMs) > ownClocksApartMs)
      log.warn({ byMs: Math.round(apartMs) }, 'clock.database-jumped')
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

  /** One at a time. */
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
      // A correction never takes time back, unless it is so large that MongoDB's own clock was set back.
      if (atMs > shownMs || shownMs - atMs > ownClocksApartMs) shownMs = atMs
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
