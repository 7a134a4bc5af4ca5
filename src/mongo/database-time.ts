import mongoose, { type Connection } from 'mongoose'
import type { Log } from '../platform/log.ts'
import { coalesceRuns } from '../platform/share-runs.ts'
import { readHello } from './connect.ts'

/** The time of MongoDB's primary. A process's own clock may be wrong. */
export type DatabaseTime = ReturnType<typeof createDatabaseTime>

/** The monotonic clock may stop while the machine sleeps. */
interface OwnClocks {
  wallMs(): number
  monotonicMs(): number
}

type ReadClock = () => Promise<number>

export type ClockShift = (databaseMs: number) => number

interface Measurement {
  databaseMs: number
  monotonicMs: number
  errorMs: number
}

const maxErrorMs = 500
/** NTP adjusts both clocks, each by at most half of this. */
const driftPerMs = 0.001
/** The clocks differ by more only if the machine slept or one was set. */
const maxClockDifferenceMs = 1000
const measureEveryMs = 10_000
const measureAgainMs = 1000
const goodErrorMs = 5
/** A process's first round trips are its slowest, so it measures again. */
const firstMeasurements = 3

export const noClockShift: ClockShift = (databaseMs) => databaseMs

const ownClocks: OwnClocks = { wallMs: () => Date.now(), monotonicMs: () => performance.now() }

export async function openDatabaseTime(mongo: Connection, log: Log, shift: ClockShift) {
  const readClock = async () => Number((await readHello(mongo)).localTime)
  const time = createDatabaseTime(readClock, ownClocks, log, shift)
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

export function createDatabaseTime(readClock: ReadClock, own: OwnClocks, log: Log, shift: ClockShift) {
  let latest: Measurement = { databaseMs: 0, monotonicMs: own.monotonicMs(), errorMs: Infinity }
  let wallAheadMs = 0
  let shownMs = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const wallAhead = (): number => own.wallMs() - own.monotonicMs()
  const timeAt = (monotonicMs: number): number => latest.databaseMs + monotonicMs - latest.monotonicMs
  const errorAt = (monotonicMs: number) => latest.errorMs + (monotonicMs - latest.monotonicMs) * driftPerMs
  const isSure = (): boolean =>
    errorAt(own.monotonicMs()) <= maxErrorMs && Math.abs(wallAhead() - wallAheadMs) <= maxClockDifferenceMs

  async function measureOnce(): Promise<void> {
    const [aheadBefore, sentAt] = [wallAhead(), own.monotonicMs()]
    const shown = await readClock()
    const [aheadAfter, receivedAt] = [wallAhead(), own.monotonicMs()]
    const halfMs = (receivedAt - sentAt) / 2
    // The machine slept, its clock was set, or the round trip was too slow.
    if (Math.abs(aheadAfter - aheadBefore) > maxClockDifferenceMs || halfMs > maxErrorMs)
      throw new mongoose.mongo.MongoNetworkTimeoutError('MongoDB responds too slowly to measure its clock')
    take({ databaseMs: shown + 0.5, monotonicMs: sentAt + halfMs, errorMs: halfMs + 0.5 })
    wallAheadMs = aheadAfter
  }

  /** Keeps the more accurate measurement, unless a clock was set. */
  function take(next: Measurement): void {
    const apartMs = next.databaseMs - timeAt(next.monotonicMs)
    const errorMs = errorAt(next.monotonicMs)
    const agree = Math.abs(apartMs) <= errorMs + next.errorMs
    if (agree && errorMs <= next.errorMs) return
    if (!agree && Math.abs(apartMs) > maxClockDifferenceMs)
      log.warn({ jumpMs: Math.round(apartMs) }, 'clock.database-jumped')
    latest = next
  }

  async function measureAndSchedule(): Promise<void> {
    clearTimeout(timer)
    let nextInMs = measureAgainMs
    try {
      await measureOnce()
      if (latest.errorMs <= goodErrorMs) nextInMs = measureEveryMs
    } finally {
      if (!isClosed) timer = setTimeout(measureSoon, nextInMs).unref()
    }
  }

  const measure = coalesceRuns(measureAndSchedule)

  function measureSoon(): void {
    if (!isClosed) measure().catch(() => undefined)
  }

  return {
    now(): Date {
      if (!isSure()) measureSoon()
      const atMs = timeAt(own.monotonicMs())
      // The time goes backwards only if MongoDB's own clock was set back.
      if (atMs > shownMs || shownMs - atMs > maxClockDifferenceMs) shownMs = atMs
      return new Date(shift(shownMs))
    },
    /** Returns null while the time is accurate to within `maxErrorMs`. */
    unsure: (): Promise<void> | null => (isSure() ? null : measure()),
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
