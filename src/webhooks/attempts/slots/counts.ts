export interface Counts {
  all(): number
  of(key: string): number
  add(owner: string, count: number): void
  /** Counts under a further key what `add` has already counted for its owner. Does not change `all`. */
  addPart(key: string, count: number): void
}

/** Counts by owner, and in all. */
export function createCounts(): Counts {
  const counts = new Map<string, number>()
  let all = 0
  const addPart = (key: string, count: number): void => {
    const sum = (counts.get(key) ?? 0) + count
    if (sum === 0) counts.delete(key)
    else counts.set(key, sum)
  }
  return {
    all: () => all,
    of: (key) => counts.get(key) ?? 0,
    addPart,
    add(owner, count) {
      all += count
      addPart(owner, count)
    },
  }
}
