import type { Fault } from '../evidence/evidence.ts'
import { sumOf } from './groups.ts'
import type { Evidence } from './read-folder.ts'

/** A moment of the machine's clock between the two. */
export type Span = { from: number; to: number }

/** The clocks and faults of a round. */
export interface Times {
  /** How far the service's clock may have been ahead of the machine's clock. */
  aheadAt(at: number): Span
  /** When the service's clock showed a time. */
  machineTime(shown: number): Span
  /** How far the clocks of two processes may differ in the span: a jump does not reach them at the same time. */
  skewAround(span: Span): number
  /** Whether clocks jumped during a call, so that those of two processes may differ. */
  isSkewed(call: { began: number; ended: number }): boolean
  /** The earliest beginning and the latest end of a call on the service's clock. */
  shownOf(call: { began: number; ended: number }): Span
  /** Whether no fault lasted from `settleMs` before the span until its end. */
  isCalm(span: Span, settleMs: number): boolean
  /** The same, but ignores faults that only delay: those of Redis, and a busy machine. */
  isCalmForWrites(span: Span, settleMs: number): boolean
  /** How long the machine was too busy to keep time. If this is more than half of the round, no span is calm. */
  busy: { ms: number; ofMs: number; isMostly: boolean }
}

/** The longest time that the consequences of a fault last. */
export const settles = {
  /**
   * In this time, broken connections are noticed, a new primary is found (the driver gives up on a silent one after 5
   * s), and waiting requests finish.
   */
  requests: 6_000,
  /** The leases of a dead worker end within 10 s, and the others poll every 2 s. */
  jobs: 10_000,
} as const

/** How long a write may still take effect after its client disconnected. */
export const lateMs = 30_000
/** Each process caches the offset for 20 ms (support/edited-build/inside.ts). */
const readMs = 50

const isOf = (...prefixes: string[]) => {
  return ({ what }: Fault): boolean => prefixes.some((prefix) => what.startsWith(prefix))
}
const isOfMachine = isOf('machine.')

export function timesOf({ setting, calls, arrivals, faults }: Evidence): Times {
  const jumps = faults.filter(isOf('clock.jump')).toSorted((one, other) => one.began - other.began)
  const samples = [
    ...calls.flatMap(({ began, ended, clockAheadMs: [first, last] }) => [
      { at: began, ahead: first },
      { at: ended, ahead: last },
    ]),
    ...arrivals.map(({ at, clockAheadMs }) => ({ at, ahead: clockAheadMs })),
    ...samplesOf(jumps),
  ].toSorted((one, other) => one.at - other.at || one.ahead - other.ahead)
  const steps = stepsOf(samples)
  const disturbing = faults.filter((fault) => !isOf('endpoint.')(fault))
  const troubles = troublesOf(disturbing)
  const ofWrites = troublesOf(disturbing.filter((fault) => !isOf('redis.', 'machine.')(fault)))
  const busy = busyOf(setting, faults)
  const aheadAt = (at: number): Span => {
    const aheads = steps.filter(({ from, to }) => from <= at && at <= to).map(({ ahead }) => ahead)
    return { from: Math.min(...aheads), to: Math.max(...aheads) }
  }
  const skewAround = ({ from, to }: Span): number =>
    Math.max(
      0,
      ...jumps
        .filter(({ began, ended }) => began <= to && ended + readMs >= from)
        .map(({ target }) => Math.abs(setIn(target))),
    )
  return {
    aheadAt,
    skewAround,
    machineTime(shown) {
      const inside = steps.filter(({ from, to, ahead }) => from + ahead <= shown && shown <= to + ahead)
      if (inside.length === 0) return skipped(steps, shown)
      const moments = inside.map(({ ahead }) => shown - ahead)
      return { from: Math.min(...moments), to: Math.max(...moments) }
    },
    isSkewed: ({ began, ended }) => skewAround({ from: began, to: ended }) > 0,
    shownOf({ began, ended }) {
      const skewMs = skewAround({ from: began, to: ended })
      return { from: began + aheadAt(began).from - skewMs, to: ended + aheadAt(ended).to + skewMs }
    },
    isCalm: (span, settleMs) => !busy.isMostly && !meets(troubles, span, settleMs),
    isCalmForWrites: (span, settleMs) => !meets(ofWrites, span, settleMs),
    busy,
  }
}

/** A fault, and the longest time that its consequences last. */
interface Trouble extends Span {
  maxMs: number
}

/** Work that a busy machine delayed is done within the time for which it was busy. */
const troublesOf = (faults: Fault[]): Trouble[] =>
  faults.map((fault) => ({
    from: fault.began,
    to: fault.ended,
    maxMs: isOfMachine(fault) ? fault.ended - fault.began : Number.POSITIVE_INFINITY,
  }))

const meets = (troubles: Trouble[], span: Span, settleMs: number): boolean =>
  troubles.some(({ from, to, maxMs }) => from <= span.to && to + Math.min(settleMs, maxMs) >= span.from)

function busyOf({ beganAt, healedAt, quietAt }: Evidence['setting'], faults: Fault[]): Times['busy'] {
  const endedAt = quietAt ?? healedAt
  const ms = sumOf(faults.filter(isOfMachine), ({ began, ended }) =>
    Math.max(0, Math.min(ended, endedAt) - Math.max(began, beganAt)),
  )
  return { ms, ofMs: endedAt - beganAt, isMostly: ms > (endedAt - beganAt) / 2 }
}

/** By how much a fault set the clock: -3500 for `all -3500`. */
export const setIn = (target: string): number => Number(/ ([+-]\d+)$/.exec(target)?.[1] ?? 0)

interface Step extends Span {
  ahead: number
}

/** How far the clock was ahead before and after each jump. */
function samplesOf(jumps: Fault[]): { at: number; ahead: number }[] {
  let ahead = 0
  return jumps.flatMap(({ began, ended, target }) => {
    const before = { at: began, ahead }
    ahead += setIn(target)
    return [before, { at: ended, ahead }]
  })
}

/** The periods in which the clock was ahead by a constant amount. They overlap where there is no sample. */
function stepsOf(samples: { at: number; ahead: number }[]): Step[] {
  const steps: Step[] = [{ from: Number.NEGATIVE_INFINITY, to: 0, ahead: samples[0]?.ahead ?? 0 }]
  for (const { at, ahead } of samples) {
    const last = steps.at(-1) as Step
    if (ahead !== last.ahead) steps.push({ from: last.to, to: at, ahead })
    last.to = at
  }
  ;(steps.at(-1) as Step).to = Number.POSITIVE_INFINITY
  return steps
}

/** The span of a time that no clock showed, because all of them jumped past it. */
function skipped(steps: Step[], shown: number): Span {
  const after = steps.findIndex(({ from, ahead }) => from + ahead > shown)
  return { from: steps[after]?.from ?? 0, to: steps[after - 1]?.to ?? Number.POSITIVE_INFINITY }
}
