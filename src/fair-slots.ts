/** Slots of a process, shared among owners. An owner gets a slot only while it holds fewer than are free, so it gets at most half. */
export interface FairSlots {
  /** Takes a slot. Returns a function that frees it, or null if the owner already has its share. */
  tryTake(owner: string): (() => void) | null
  /** Like `tryTake`, but waits for a slot for up to `waitMs`. */
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

  /** Serves one waiter: of the owner that was not served for the longest time and can get a slot. */
  function serveWaiting(): void {
    for (const [owner, waiters] of waiting) {
      const [first] = waiters
      const free = first === undefined ? null : tryTake(owner)
      if (first === undefined || free === null) continue
      waiters.delete(first)
      // The owner moves to the end of the queue.
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
