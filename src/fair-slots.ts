/** Slots of a process that owners share. An owner never holds more than remain free, so one owner holds half of them at most. */
export interface FairSlots {
  /** Takes a slot. Returns a function that frees it, or null if the owner has its share. */
  tryTake(owner: string): (() => void) | null
  /** Waits for a slot for up to `waitMs`. Resolves to null if there was none. */
  take(owner: string, waitMs: number): Promise<(() => void) | null>
}

interface Waiter {
  begin(free: () => void): void
}

export function createFairSlots(most: number): FairSlots {
  const heldBy = new Map<string, number>()
  /** By owner, each in the order of arrival. */
  const waiting = new Map<string, Set<Waiter>>()
  let taken = 0

  function add(owner: string, count: 1 | -1): void {
    taken += count
    const held = (heldBy.get(owner) ?? 0) + count
    if (held === 0) heldBy.delete(owner)
    else heldBy.set(owner, held)
  }

  function tryTake(owner: string): (() => void) | null {
    if ((heldBy.get(owner) ?? 0) >= most - taken) return null
    add(owner, 1)
    return () => {
      add(owner, -1)
      serveWaiting()
    }
  }

  /** Serves the owner that has waited longest since it was served. */
  function serveWaiting(): void {
    for (const [owner, waiters] of waiting) {
      const [first] = waiters
      const free = first === undefined ? null : tryTake(owner)
      if (first === undefined || free === null) continue
      waiters.delete(first)
      // The owner goes behind the others.
      waiting.delete(owner)
      if (waiters.size > 0) waiting.set(owner, waiters)
      first.begin(free)
      return
    }
  }

  return {
    tryTake,
    async take(owner, waitMs) {
      const free = tryTake(owner)
      if (free !== null) return free
      return new Promise((resolve) => {
        const waiters = waiting.get(owner) ?? new Set()
        const timer = setTimeout(() => {
          waiters.delete(waiter)
          if (waiters.size === 0) waiting.delete(owner)
          resolve(null)
        }, waitMs)
        const waiter: Waiter = {
          begin(given) {
            clearTimeout(timer)
            resolve(given)
          },
        }
        waiting.set(owner, waiters.add(waiter))
      })
    },
  }
}
