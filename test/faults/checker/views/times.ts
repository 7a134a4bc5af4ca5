import type { Fault } from '../../evidence/evidence.ts'
import type { Evidence } from '../folder/evidence.ts'
import { sumOf } from './groups.ts'

/** When something was on the machine's clock: not before `from`, not after `to`. */
export interface Span {
  from: number
  to: number
}

/** What is known of the clocks and of the disturbances of a round. */
export interface Times {
  /** By how much the service's clock may have been ahead of the machine's at that moment. */
  aheadAt(at: number): Span
  /** When it was on the machine's clock that the service's showed this. */
  machineTime(shown: number): Span
  /**
   * The most that processes disagreed on the time around then: the offset of a round reaches them one after the other, which takes a few
   * milliseconds.
   */
  skewAround(span: Span): number
  /**
   * Whether nothing was done to the service from `settleMs` before the span to its end: so long may the consequences of a fault last for what
   * is looked at.
   */
  isCalm(span: Span, settleMs: number): boolean
  /** The same, but for what makes late alone: a machine that has too much to do, and Redis, which loses no write of anybody's. */
  isCalmForWrites(span: Span, settleMs: number): boolean
  /** For how long the machine had too much to do, and for how long the round went on: more than half of it, and nothing in it is calm. */
  busy: { ms: number; ofMs: number; isMostly: boolean }
  /** The end of the first stretch of this length after `at` in which nothing was done; null when there is none before quiet. */
  calmAfter(at: number, lengthMs: number): number | null
}

/** How long the consequences of a fault last: by name, as every promise has its own timeouts. */
export const settles = {
  /** Connections that are found broken, a primary that is found (the driver gives up on a silent one after 5 s), a request that had waited. */
  requests: 6_000,
  /**
   * The leases of a dead worker end within 10 s, and the others poll every 2 s. So by 18 s what is late is found; what was due from here on has 10 s or more of its own before it is called late.
   */
  jobs: 10_000,
} as const

/** A process caches the offset for 20 ms (build/inside.ts), so no process uses the old offset for longer. */
const readMs = 50

/** Faults of what the service does not promise to be quick without; receivers fail for themselves alone. */
const isOfReceivers = ({ what }: Fault): boolean => what.startsWith('receiver.')
const isOfRedis = ({ what }: Fault): boolean => what.startsWith('redis.')
/** It makes all late, and cuts nothing short. */
const isOfMachine = ({ what }: Fault): boolean => what.startsWith('machine.')

export function timesOf({ setting, calls, arrivals, faults }: Evidence): Times {
  const samples = [
    ...calls.flatMap(({ began, ended, clockAheadMs: [first, last] }) => [
      { at: began, ahead: first },
      { at: ended, ahead: last },
    ]),
    ...arrivals.map(({ at, clockAheadMs }) => ({ at, ahead: clockAheadMs })),
    ...jumpsOf(faults),
  ].toSorted((one, other) => one.at - other.at || one.ahead - other.ahead)
  const steps = stepsOf(samples)
  const disturbing = faults.filter((fault) => !isOfReceivers(fault))
  const troubles = troublesOf(disturbing)
  const ofWriters = troublesOf(disturbing.filter((fault) => !isOfRedis(fault) && !isOfMachine(fault)))
  const skews = faults.flatMap(({ what, began, ended, target }) => {
    // The wall clock of a process (process.skew) decides nothing, so it excuses nothing.
    if (what !== 'clock.jump') return []
    return { from: began, to: ended + readMs, byMs: Math.abs(setIn(target)) }
  })
  const busy = busyOf({ setting, faults })

  return {
    aheadAt: (at) => aheadIn(steps, at),
    machineTime(shown) {
      const inside = steps.filter(({ from, to, ahead }) => from + ahead <= shown && shown <= to + ahead)
      if (inside.length === 0) return skipped(steps, shown)
      const moments = inside.map(({ ahead }) => shown - ahead)
      return { from: Math.min(...moments), to: Math.max(...moments) }
    },
    skewAround: (span) =>
      Math.max(
        0,
        ...skews.filter(({ from, to }) => from <= span.to && to >= span.from).map(({ byMs }) => byMs),
      ),
    isCalm: (span, settleMs) => !busy.isMostly && !meets(troubles, span, settleMs),
    isCalmForWrites: (span, settleMs) => !meets(ofWriters, span, settleMs),
    busy,
    calmAfter: (at, lengthMs) => {
      let from = at
      for (const trouble of troubles) {
        if (trouble.to < from) continue
        if (trouble.from - from >= lengthMs) break
        from = trouble.to
      }
      const end = from + lengthMs
      return setting.quietAt !== null && end > setting.quietAt ? null : end
    },
  }
}

/** What disturbs, and for how long its consequences last at most. */
interface Trouble extends Span {
  mostMs: number
}

/** What could not be done on a machine that had too much to do is worked off in the time in which it grew, or sooner. */
const troublesOf = (faults: Fault[]): Trouble[] =>
  faults
    .map((fault) => ({
      from: fault.began,
      to: fault.ended,
      mostMs: isOfMachine(fault) ? fault.ended - fault.began : Number.POSITIVE_INFINITY,
    }))
    .toSorted((one, other) => one.from - other.from)

const meets = (troubles: Trouble[], span: Span, settleMs: number): boolean =>
  troubles.some(({ from, to, mostMs }) => from <= span.to && to + Math.min(settleMs, mostMs) >= span.from)

/** Stretches of a busy machine follow one another and never overlap. */
function busyOf({ setting, faults }: Pick<Evidence, 'setting' | 'faults'>): Times['busy'] {
  const { beganAt, healedAt, quietAt } = setting
  const endedAt = quietAt ?? healedAt
  const stretches = faults
    .filter(isOfMachine)
    .map(({ began, ended }) => Math.max(0, Math.min(ended, endedAt) - Math.max(began, beganAt)))
  const ms = sumOf(stretches, (each) => each)
  return { ms, ofMs: endedAt - beganAt, isMostly: ms > (endedAt - beganAt) / 2 }
}

/** By how much a clock was set: `web-2 -3500` → -3500. */
export const setIn = (target: string): number => Number(/ ([+-]\d+)$/.exec(target)?.[1] ?? 0)

interface Step extends Span {
  ahead: number
}

/** What the clock was ahead before all were set, and after it. */
function jumpsOf(faults: Fault[]): { at: number; ahead: number }[] {
  let ahead = 0
  return faults
    .filter(({ what }) => what === 'clock.jump')
    .toSorted((one, other) => one.began - other.began)
    .flatMap(({ began, ended, target }) => {
      const before = ahead
      ahead += setIn(target)
      return [
        { at: began, ahead: before },
        { at: ended, ahead },
      ]
    })
}

/** The stretches in which the clock was ahead by one amount; two that follow each other overlap where nobody looked. */
function stepsOf(samples: { at: number; ahead: number }[]): Step[] {
  const steps: Step[] = []
  for (const { at, ahead } of samples) {
    const last = steps.at(-1)
    if (last !== undefined && last.ahead === ahead) last.to = at
    else {
      steps.push({ from: last?.to ?? Number.NEGATIVE_INFINITY, to: at, ahead })
      if (last !== undefined) last.to = at
    }
  }
  const last = steps.at(-1)
  if (last === undefined) return [{ from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY, ahead: 0 }]
  last.to = Number.POSITIVE_INFINITY
  return steps
}

/** All clocks were set past it at once: between what somebody last saw of the old one and first of the new one. */
function skipped(steps: Step[], shown: number): Span {
  const after = steps.findIndex(({ from, ahead }) => from + ahead > shown)
  return { from: steps[after]?.from ?? 0, to: steps[after - 1]?.to ?? Number.POSITIVE_INFINITY }
}

function aheadIn(steps: Step[], at: number): Span {
  const aheads = steps.filter(({ from, to }) => from <= at && at <= to).map(({ ahead }) => ahead)
  return { from: Math.min(...aheads), to: Math.max(...aheads) }
}
