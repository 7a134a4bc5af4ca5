import { join } from 'node:path'
import { linesOf } from './checker/read-folder.ts'
import { timed } from './checker/round.ts'
import { files, type Violation } from './evidence/evidence.ts'
import type { PlannedFault } from './plan/fault.ts'
import type { RoundResult } from './round/round.ts'

type Faults = Pick<RoundResult, 'faults' | 'planned' | 'done'>
type Timed = Pick<RoundResult, 'checked' | 'busy'>

/** One bug often breaks a promise a thousand times. */
const maxPrinted = 10

/** Prints one line per violation: the promise, the subject and the message. */
export function printViolations(violations: readonly Violation[]): void {
  for (const promise of new Set(violations.map((one) => one.promise))) {
    const own = violations.filter((one) => one.promise === promise)
    for (const { subject, message } of own.slice(0, maxPrinted)) console.log(`${promise}  ${subject}  ${message}`)
    if (own.length > maxPrinted) console.log(`${promise}  and ${own.length - maxPrinted} more`)
  }
}

/** Summarises a round in one line. */
export function figuresOf(folder: string, played: RoundResult): string {
  const count = (file: string, part = ''): number =>
    [...linesOf(join(folder, file))].filter((line) => line.includes(part)).length
  const deliveries = join(files.dump, 'deliveries.ndjson')
  return [
    `${count(files.calls)} calls, ${count(files.calls, '"status":null')} without a response`,
    `${count(join(files.dump, 'intents.ndjson'))} intents`,
    `${count(deliveries)} deliveries, ${count(deliveries, '"status":"DEAD"')} of them DEAD`,
    `${count(files.arrivals)} arrivals`,
    faultsDone(played),
    timeChecked(played),
    `${played.violations.length} violations`,
  ].join('; ')
}

/** Summarises how much of the plan was done: `2 of 4 faults (process.kill 1/2, …); 1 of 2 points`. */
export function faultsDone({ planned, done, faults }: Faults): string {
  const [all, made] = [countsOf(planned), countsOf(done)]
  const kinds = [...all].map(([kind, count]) => `${kind} ${made.get(kind) ?? 0}/${count}`).join(', ')
  const points = `${pointsReached(faults).size} of ${pointsIn(planned).size} points`
  return `${done.length} of ${planned.length} faults (${kinds}); ${points}`
}

/** Points at which no process ever died or stopped. */
export function neverReached(rounds: readonly Faults[]): string[] {
  const all = pointsReached(rounds.flatMap(({ faults }) => faults))
  return [...pointsIn(rounds.flatMap(({ planned }) => planned))].filter((point) => !all.has(point))
}

/**
 * Some faults cannot happen. A process is not killed while the other one of its type does not serve, and a process may
 * not pass a point in time. A run with fewer than these shares proves nothing.
 */
const minShare = 1 / 2
const minShareOfPoints = 1 / 4
/** With fewer planned faults, chance decides how many are done. */
const minCount = 8
const minCountOf = (kind: string): number => (kind === 'clock.jump' ? 1 : 3)

/** The reasons why a run proves too little. */
export function shortfalls(rounds: readonly Faults[]): string[] {
  const planned = rounds.flatMap((round) => round.planned)
  const done = rounds.flatMap((round) => round.done)
  const isAtPoint = ({ what }: PlannedFault): boolean => what === 'process.point'
  const tooFew = (what: string, isCounted: (fault: PlannedFault) => boolean, share: number): string[] => {
    const [all, made] = [planned.filter(isCounted).length, done.filter(isCounted).length]
    return all < minCount || made >= all * share ? [] : [`only ${made} of ${all} ${what} were done`]
  }
  const made = countsOf(done, kindOf)
  return [
    ...tooFew('faults', (fault) => !isAtPoint(fault), minShare),
    ...tooFew('faults at points', isAtPoint, minShareOfPoints),
    ...[...countsOf(planned, kindOf)]
      .filter(([kind, count]) => count >= minCountOf(kind) && !made.has(kind))
      .map(([kind, count]) => `${kind} was planned ${count} times and never done`),
  ]
}

/** The faults of a primary count as one kind, because each of them is rare. */
const kindOf = (what: string): string => (what.startsWith('primary.') ? 'primary.*' : what)

function countsOf(faults: readonly PlannedFault[], keyOf?: typeof kindOf) {
  const counts = new Map<string, number>()
  for (const kind of faults.map(({ what }) => keyOf?.(what) ?? what)) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return counts
}

const pointsIn = (planned: readonly PlannedFault[]): Set<string> =>
  new Set(planned.flatMap((fault) => (fault.what === 'process.point' ? [fault.point] : [])))

const pointsReached = (faults: Faults['faults']): Set<string> =>
  new Set(faults.flatMap(({ what, target }) => (what === 'process.point' ? [target.split(' ')[1] ?? ''] : [])))

/** A shorter run may have no fault-free period that is long enough. */
const minSeconds = 300

/** Says how much the promises about time could have reported, or that the machine was too busy. */
export function timeChecked({ checked, busy }: Timed): string {
  const ms = (value: number): number => Math.round(value / 1000)
  if (busy.isMostly) return `time not checked, as the machine was busy for ${ms(busy.ms)} of ${ms(busy.ofMs)} s`
  return `time checked: ${timed.map((promise) => `${promise} ${checked[promise]}`).join(', ')}`
}

/** The promises about time that a run does not prove. */
export const timeNotProved = (rounds: readonly Timed[], seconds: number): string[] =>
  timed
    .filter((promise) => seconds >= minSeconds && rounds.every(({ checked }) => checked[promise] === 0))
    .map((promise) => `${promise} could report nothing late`)
