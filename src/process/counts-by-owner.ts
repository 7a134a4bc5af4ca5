/** Counts slots, bytes or connections by owner. An owner whose count is 0 uses no memory. */
export type CountsByOwner = ReturnType<typeof createCountsByOwner>

export function createCountsByOwner() {
  const counts = new Map<string, number>()
  let all = 0
  const addPart = (key: string, count: number): void => {
    const sum = (counts.get(key) ?? 0) + count
    if (sum === 0) counts.delete(key)
    else counts.set(key, sum)
  }
  return {
    all: (): number => all,
    of: (owner: string): number => counts.get(owner) ?? 0,
    /**
     * Also adds to the count of a more specific key, after `add` has already added to the owner's count. Does not
     * change the total that `all` returns.
     */
    addPart,
    add(owner: string, count: number): void {
      all += count
      addPart(owner, count)
    },
    entries: (): Iterable<[owner: string, count: number]> => counts,
  }
}
