import type { Fault } from '../../evidence/evidence.ts'
import type { Evidence } from '../folder/evidence.ts'

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
  /** By how much processes' clocks were apart at worst around there: one was set, or all were, one after the other. */
  skewAround(span: Span): number
  /**
   * Whether nothing was done to the service from `settleMs` before the span to its end: so long may the consequences of a fault last for what
   * is looked at.
   */
  isCalm(span: Span, settleMs: number): boolean
  /** The same, but for what makes late alone: a machine that has too much to do, and Redis, which loses no write of anybody's. */
  isCalmForWrites(span: Span, settleMs: number): boolean
  /** Whether those who asked around then were answered at once: if not, the machine has more to do than to keep time. */
  isBrisk(span: Span): boolean
  /** The end of the first stretch of this length after `at` in which nothing was done; null when there is none before quiet. */
  calmAfter(at: number, lengthMs: number): number | null
}

/** How long the consequences of a fault last: by name, as every promise has its own patience. */
export const settles = {
  /** Connections that are found broken, a primary that is found, a request that had waited. */
  requests: 6_000,
  /** A lease of 10 s that a dead process left behind. */
  leases: 14_000,
  /** The sweep, every 12 s, and jobs that stand in a line. */
  jobs: 20_000,
} as const

/** Of a request that nothing keeps. */
const quickMs = 1000
const aroundMs = 5000

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
  ].toSorted((one, other) => one.at - other.at)
  const steps = stepsOf(samples)
  const disturbing = faults.filter((fault) => !isOfReceivers(fault))
  const troubles = troublesOf(disturbing)
  const ofWriters = troublesOf(disturbing.filter((fault) => !isOfRedis(fault) && !isOfMachine(fault)))
  const skews = faults
    .filter(({ what }) => what === 'process.skew' || what === 'clock.jump')
    .map(({ began, ended, target }) => ({ from: began, to: ended, byMs: skewIn(target) }))

  return {
    aheadAt: (at) => aheadIn(steps, at),
    machineTime(shown) {
      const inside = steps.filter(({ from, to, ahead }) => from + ahead <= shown && shown <= to + ahead)
      if (inside.length === 0)
        return { from: setting.beganAt, to: setting.quietAt ?? Number.POSITIVE_INFINITY }
      const moments = inside.map(({ ahead }) => shown - ahead)
      return { from: Math.min(...moments), to: Math.max(...moments) }
    },
    skewAround: (span) =>
      Math.max(
        0,
        ...skews.filter(({ from, to }) => from <= span.to && to + 1000 >= span.from).map(({ byMs }) => byMs),
      ),
    isCalm: (span, settleMs) => !meets(troubles, span, settleMs),
    isCalmForWrites: (span, settleMs) => !meets(ofWriters, span, settleMs),
    isBrisk: ({ from, to }) => {
      const around = calls.filter((call) => call.began <= to + aroundMs && call.ended >= from - aroundMs)
      const quick = around.filter(({ status, began, ended }) => status !== null && ended - began <= quickMs)
      return quick.length >= around.length / 2 && quick.length > 0
    },
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

const troublesOf = (faults: Fault[]): Span[] =>
  faults
    .map(({ began, ended }) => ({ from: began, to: ended }))
    .toSorted((one, other) => one.from - other.from)

const meets = (troubles: Span[], span: Span, settleMs: number): boolean =>
  troubles.some(({ from, to }) => from <= span.to && to + settleMs >= span.from)

/** `web-2 +3500` → 3500. */
const skewIn = (target: string): number => Math.abs(Number(/ ([+-]\d+)$/.exec(target)?.[1] ?? 0))

interface Step extends Span {
  ahead: number
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

function aheadIn(steps: Step[], at: number): Span {
  const aheads = steps.filter(({ from, to }) => from <= at && at <= to).map(({ ahead }) => ahead)
  return { from: Math.min(...aheads), to: Math.max(...aheads) }
}
