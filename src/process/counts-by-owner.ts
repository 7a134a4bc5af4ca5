/** Counts slots, bytes or connections by owner. An owner whose count is 0 uses no memory. */
export interface CountsByOwner {
  all(): number
  of(owner: string): number
  add(owner: string, count: number): void
  /**
   * Also adds to the count of a more specific key, after `add` has already added to the owner's count. Does not change
   * the total that `all` returns.
   */
  addPart(key: string, count: number): void
  entries(): Iterable<[owner: string, count: number]>
}

export function createCountsByOwner(): CountsByOwner {
  const counts = new Map<string, number>()
  let all = 0
  const addPart = (key: string, count: number): void => {
    const sum = (counts.get(key) ?? 0) + count
    if (sum === 0) counts.delete(key)
    else counts.set(key, sum)
  }
  return {
    all: () => all,
    of: (owner) => counts.get(owner) ?? 0,
    addPart,
    add(owner, count) {
      all += count
      addPart(owner, count)
    },
    entries: () => counts,
  }
}
