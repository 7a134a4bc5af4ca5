export interface Counts {
  add(target: string, kind: string, outcome: string): void
  rows(): string[][]
}

type Outcomes = Map<string, Map<string, number>>

export function createCounts(): Counts {
  const [targets, kinds]: [Outcomes, Outcomes] = [new Map(), new Map()]
  return {
    add(target, kind, outcome) {
      increment(targets, target, outcome)
      increment(kinds, kind, outcome)
    },
    rows: () => [['Target', 'Requests', 'Responses'], ...rowsOf(targets), ['Key', '', ''], ...rowsOf(kinds)],
  }
}

function increment(all: Outcomes, name: string, outcome: string): void {
  const one = all.get(name) ?? new Map<string, number>()
  all.set(name, one.set(outcome, (one.get(outcome) ?? 0) + 1))
}

const rowsOf = (all: Outcomes): string[][] =>
  [...all].map(([name, outcomes]) => [
    name,
    String([...outcomes.values()].reduce((sum, count) => sum + count, 0)),
    [...outcomes]
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([outcome, count]) => `${outcome} × ${count}`)
      .join('  '),
  ])
