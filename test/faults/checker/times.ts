import { sumOf } from '../../invariants/groups.ts'
import type { Evidence, Fault } from '../evidence/evidence.ts'

export type Span = { from: number; to: number }
type Lasting = { began: number; ended: number }

export const settles = {
  /** Connections break (the driver waits 5 s), a primary is elected, and waiting requests finish. */
  requests: 6_000,
  /** A dead worker's leases end within 10 s, and the others poll every 2 s. */
  jobs: 10_000,
} as const

/** A write may still take effect this long after its client disconnected. */
export const lateMs = 30_000
/** Each process caches the offset for 20 ms (support/edited-build/inside.ts). */
const readMs = 50
const isOf =
  (...starts: string[]) =>
  ({ what }: Fault) =>
    starts.some((start) => what.startsWith(start))
export const setIn = (target: string): number => Number(/ ([+-]\d+)$/.exec(target)?.[1] ?? 0)
export type Times = ReturnType<typeof timesOf>

export function timesOf({ setting, calls, arrivals, faults }: Evidence) {
  const jumps = faults.filter(isOf('clock.jump')).toSorted((one, other) => one.began - other.began)
  const steps = stepsOf([
    ...calls.flatMap(({ began, ended, clockAheadMs: [first, last] }) => [
      { at: began, ahead: first },
      { at: ended, ahead: last },
    ]),
    ...arrivals.map(({ at, clockAheadMs }) => ({ at, ahead: clockAheadMs })),
    ...samplesOf(jumps),
  ])
  const disturbing = faults.filter((fault) => !isOf('endpoint.')(fault))
  const ofWrites = disturbing.filter((fault) => !isOf('redis.', 'machine.')(fault))
  const busy = busyOf(setting, faults)
  const stepsAt = (at: number) => steps.filter(({ from, to }) => from <= at && at <= to)
  const aheadAt = (at: number): Span => spanOf(stepsAt(at), ({ ahead }) => ahead)
  /** How far two processes' clocks may differ, since a jump doesn't reach them at the same time. */
  const skewAround = ({ from, to }: Span): number => {
    const near = jumps.filter(({ began, ended }) => began <= to && ended + readMs >= from)
    return Math.max(0, ...near.map(({ target }) => Math.abs(setIn(target))))
  }
  return {
    aheadAt,
    skewAround,
    shownAt: (at: number): number => at + aheadAt(at).from,
    machineTime(shown: number): Span {
      const inside = steps.filter(({ from, to, ahead }) => from + ahead <= shown && shown <= to + ahead)
      return inside.length === 0 ? skipped(steps, shown) : spanOf(inside, ({ ahead }) => shown - ahead)
    },
    isSkewed: ({ began, ended }: Lasting): boolean => skewAround({ from: began, to: ended }) > 0,
    shownOf({ began, ended }: Lasting): Span {
      const skewMs = skewAround({ from: began, to: ended })
      return { from: began + aheadAt(began).from - skewMs, to: ended + aheadAt(ended).to + skewMs }
    },
    isCalm: (span: Span, settleMs: number): boolean => !busy.isMostly && !meets(disturbing, span, settleMs),
    isCalmForWrites: (span: Span, settleMs: number): boolean => !meets(ofWrites, span, settleMs),
    /** How long the machine was too busy to keep time. If that's more than half of the round, no span is calm. */
    busy,
  }
}

function spanOf<T>(items: readonly T[], valueOf: (item: T) => number): Span {
  const values = items.map(valueOf)
  return { from: Math.min(...values), to: Math.max(...values) }
}

const meets = (faults: Fault[], span: Span, settleMs: number): boolean =>
  faults.some((fault) => {
    const { began, ended } = fault
    const maxMs = isOf('machine.')(fault) ? ended - began : settleMs
    return began <= span.to && ended + Math.min(settleMs, maxMs) >= span.from
  })

function busyOf({ beganAt, healedAt, quietAt }: Evidence['setting'], faults: Fault[]) {
  const endedAt = quietAt ?? healedAt
  const ms = sumOf(faults.filter(isOf('machine.')), ({ began, ended }) =>
    Math.max(0, Math.min(ended, endedAt) - Math.max(began, beganAt)),
  )
  return { ms, ofMs: endedAt - beganAt, isMostly: ms > (endedAt - beganAt) / 2 }
}

type Sample = { at: number; ahead: number }
type Step = Span & { ahead: number }

function samplesOf(jumps: Fault[]): Sample[] {
  let ahead = 0
  return jumps.flatMap(({ began, ended, target }) => {
    const before = { at: began, ahead }
    ahead += setIn(target)
    return [before, { at: ended, ahead }]
  })
}

function stepsOf(samples: Sample[]): Step[] {
  const inOrder = samples.toSorted((one, other) => one.at - other.at || one.ahead - other.ahead)
  const steps: Step[] = [{ from: -Infinity, to: 0, ahead: inOrder[0]?.ahead ?? 0 }]
  for (const { at, ahead } of inOrder) {
    const last = steps.at(-1) as Step
    if (ahead !== last.ahead) steps.push({ from: last.to, to: at, ahead })
    last.to = at
  }
  ;(steps.at(-1) as Step).to = Infinity
  return steps
}

function skipped(steps: Step[], shown: number): Span {
  const after = steps.findIndex(({ from, ahead }) => from + ahead > shown)
  return { from: steps[after]?.from ?? 0, to: steps[after - 1]?.to ?? Infinity }
}
