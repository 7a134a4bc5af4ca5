import type { PlannedFault } from './plan/fault.ts'
import type { Played } from './round/round.ts'

type Deeds = Pick<Played, 'faults' | 'planned' | 'done'>

/**
 * Some come to nothing: a process is not killed while the other of its type does not serve, and what would begin late is left out. If that were
 * so of more than half, the nemesis would be broken, or the machine could not bear it.
 */
const leastShare = 1 / 2
/** Of an operation that is seldom asked for a point is often not passed in the seconds for which it is armed. */
const leastShareOfPoints = 1 / 4
/** Of fewer it is chance how many come to be. */
const fewest = 8
const fewestOfKind = 3
/** What goes before a jump of the clocks never makes it late: one that did not come to be is none too few. */
const fewestOf = (kind: string): number => (kind === 'clock.jump' ? 1 : fewestOfKind)

/** What was done of what was planned: `process.kill 4/5, …; 9 of 14 points`. */
export function carriedOut({ planned, done, faults }: Deeds): string {
  const doneOf = countsOf(done, ({ what }) => [what])
  const kinds = [...countsOf(planned, ({ what }) => [what])].map(
    ([kind, count]) => `${kind} ${doneOf.get(kind) ?? 0}/${count}`,
  )
  const asked = pointsOf(planned)
  return `${done.length} of ${planned.length} faults (${kinds.join(', ')}); ${reached({ faults }).size} of ${asked.size} points`
}

/** Points at which nothing ever died or stood still, though it was told to. */
export function neverReached(rounds: readonly Deeds[]): string[] {
  const all = new Set(rounds.flatMap((round) => [...reached(round)]))
  return [...pointsOf(rounds.flatMap(({ planned }) => planned))].filter((point) => !all.has(point))
}

/** Where a run did so little of what it was to do that it proves nothing: each in a sentence. */
export function shortfalls(rounds: readonly Deeds[]): string[] {
  const planned = rounds.flatMap((round) => round.planned)
  const done = rounds.flatMap((round) => round.done)
  const others = tooFew('faults', planned.filter(isOther).length, done.filter(isOther).length, leastShare)
  const atPoints = tooFew(
    'faults at points',
    planned.filter(isAtPoint).length,
    done.filter(isAtPoint).length,
    leastShareOfPoints,
  )
  const doneOf = countsOf(done, kindsOf)
  const never = [...countsOf(planned, kindsOf)]
    .filter(([kind, count]) => count >= fewestOf(kind) && !doneOf.has(kind))
    .map(([kind, count]) => `${kind} was planned ${count === 1 ? 'once' : `${count} times`} and never done`)
  return [...others, ...atPoints, ...never]
}

function tooFew(what: string, planned: number, done: number, least: number): string[] {
  if (planned < fewest || done >= planned * least) return []
  return [
    `${done} of ${planned} ${what} were done, and ${Math.ceil(planned * least)} are the least that count`,
  ]
}

const isAtPoint = ({ what }: PlannedFault): boolean => what === 'process.point'
const isOther = (fault: PlannedFault): boolean => !isAtPoint(fault)

/** Of what is done to a primary each kind is seldom: all of them count as one, too. */
const kindsOf = ({ what }: PlannedFault): string[] =>
  what.startsWith('primary.') ? [what, 'primary.*'] : [what]

function countsOf(
  faults: readonly PlannedFault[],
  namesOf: (fault: PlannedFault) => string[],
): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of faults.flatMap(namesOf)) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

const pointsOf = (planned: readonly PlannedFault[]): Set<string> =>
  new Set(planned.flatMap((fault) => (fault.what === 'process.point' ? [fault.point] : [])))

/** Also those that it came to late, or in place of the one that it was told of now. */
const reached = ({ faults }: Pick<Deeds, 'faults'>): Set<string> =>
  new Set(
    faults.flatMap(({ what, target }) => (what === 'process.point' ? [target.split(' ')[1] ?? ''] : [])),
  )
