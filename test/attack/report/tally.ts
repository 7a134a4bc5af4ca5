/** Requests counted by target and kind of key, with their statuses. */
export interface Tally {
  count(target: string, kind: string, outcome: string): void
  /** The rows of the table: targets, then kinds of key. */
  rows(): string[][]
}

export function createTally(): Tally {
  const counts = {
    target: new Map<string, Map<string, number>>(),
    kind: new Map<string, Map<string, number>>(),
  }
  const add = (all: Map<string, Map<string, number>>, name: string, outcome: string): void => {
    const one = all.get(name) ?? new Map<string, number>()
    all.set(name, one.set(outcome, (one.get(outcome) ?? 0) + 1))
  }
  const rowsOf = (all: Map<string, Map<string, number>>): string[][] =>
    [...all].map(([name, outcomes]) => [
      name,
      String([...outcomes.values()].reduce((sum, count) => sum + count, 0)),
      [...outcomes]
        .toSorted(([a], [b]) => a.localeCompare(b))
        .map(([outcome, count]) => `${outcome} × ${count}`)
        .join('  '),
    ])
  return {
    count(target, kind, outcome) {
      add(counts.target, target, outcome)
      add(counts.kind, kind, outcome)
    },
    rows: () => [
      ['Target', 'Requests', 'Answers'],
      ...rowsOf(counts.target),
      ['Kind of key', '', ''],
      ...rowsOf(counts.kind),
    ],
  }
}
