import { join } from 'node:path'
import { timed } from './checker/round.ts'
import { files, linesOf, type Violation } from './evidence/evidence.ts'
import type { PlannedFault } from './nemesis/faults.ts'
import type { RoundResult } from './round/round.ts'

type Faults = Pick<RoundResult, 'faults' | 'planned' | 'done'>
type Timed = Pick<RoundResult, 'checked' | 'busy'>

const maxPrinted = 10

export function printViolations(violations: readonly Violation[]): void {
  for (const [promise, own] of Map.groupBy(violations, (one) => one.promise)) {
    const lines = own.map(({ subject, message }) => `${promise}  ${subject}  ${message}`)
    for (const line of lines.slice(0, maxPrinted)) console.log(line)
    if (own.length > maxPrinted) console.log(`${promise}  and ${own.length - maxPrinted} more`)
  }
}

export function figuresOf(folder: string, played: RoundResult): string {
  const count = (file: string, part = ''): number =>
    linesOf(join(folder, file)).filter((line) => line.includes(part)).length
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

/** How much of the plan was done: `2 of 4 faults (process.kill 1/2, …); 1 of 2 points`. */
export function faultsDone({ planned, done, faults }: Faults): string {
  const made = countsOf(done, ({ what }) => what)
  const due = [...countsOf(planned, ({ what }) => what)]
  const counts = due.map(([kind, all]) => `${kind} ${made.get(kind) ?? 0}/${all}`)
  const points = `${pointsReached(faults).size} of ${pointsIn(planned).size} points`
  return `${done.length} of ${planned.length} faults (${counts.join(', ')}); ${points}`
}

export function neverReached(rounds: readonly Faults[]): string[] {
  const all = pointsReached(rounds.flatMap(({ faults }) => faults))
  return [...pointsIn(rounds.flatMap(({ planned }) => planned))].filter((point) => !all.has(point))
}

const pointsIn = (planned: readonly PlannedFault[]): Set<string> =>
  new Set(planned.flatMap(({ order }) => order?.point ?? []))
const pointsReached = (faults: Faults['faults']): Set<string> =>
  new Set(faults.flatMap((each) => (each.what === 'process.point' ? [each.target.split(' ')[1] ?? ''] : [])))
const countsOf = (faults: readonly PlannedFault[], keyOf: (fault: PlannedFault) => string) =>
  new Map([...Map.groupBy(faults, keyOf)].map(([key, own]) => [key, own.length]))

/** Not every fault can happen, e.g. while the other process is down. Below this share, a run proves nothing. */
const minShare = 1 / 2
const minShareOfPoints = 1 / 4
const minCount = 8
const minCountOf = (kind: string): number => (kind === 'clock.jump' ? 1 : 3)
const minSeconds = 300

export function shortfalls(rounds: readonly (Faults & Timed)[], seconds: number): string[] {
  const planned = rounds.flatMap((round) => round.planned)
  const done = rounds.flatMap((round) => round.done)
  const tooFew = (what: string, isCounted: (fault: PlannedFault) => boolean, share: number): string[] => {
    const [all, made] = [planned.filter(isCounted).length, done.filter(isCounted).length]
    return all < minCount || made >= all * share ? [] : [`only ${made} of ${all} ${what} were done`]
  }
  // Faults of a primary count as one kind, because each is rare.
  const kindOf = ({ what }: PlannedFault): string => (what.startsWith('primary.') ? 'primary.*' : what)
  const made = countsOf(done, kindOf)
  return [
    ...tooFew('faults', ({ order }) => order === undefined, minShare),
    ...tooFew('faults at points', ({ order }) => order !== undefined, minShareOfPoints),
    ...[...countsOf(planned, kindOf)]
      .filter(([kind, count]) => count >= minCountOf(kind) && !made.has(kind))
      .map(([kind, count]) => `${kind} was planned ${count} times and never done`),
    ...timed
      .filter((promise) => seconds >= minSeconds && rounds.every(({ checked }) => checked[promise] === 0))
      .map((promise) => `${promise} could report nothing late`),
  ]
}

export function timeChecked({ checked, busy }: Timed): string {
  const seconds = (ms: number): number => Math.round(ms / 1000)
  if (busy.isMostly)
    return `time not checked, as the machine was busy for ${seconds(busy.ms)} of ${seconds(busy.ofMs)} s`
  return `time checked: ${timed.map((promise) => `${promise} ${checked[promise]}`).join(', ')}`
}
