/** Slots of a process that owners share. An owner never holds more than remain free, so one owner holds half of them at most. */
export interface FairSlots {
  /** Takes a slot. Returns a function that frees it, or null if the owner has its share. */
  tryTake(owner: string): (() => void) | null
  /** Waits for a slot for up to `waitMs`. Resolves to null if there was none. */
  take(owner: string, waitMs: number): Promise<(() => void) | null>
}

interface Waiter {
  owner: string
  begin(free: () => void): void
}

export function createFairSlots(most: number): FairSlots {
  const heldBy = new Map<string, number>()
  /** In the order of their arrival. */
  const waiting = new Set<Waiter>()
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

  /** Looks at each waiting owner once, because most that wait have the same one. */
  function serveWaiting(): void {
    const blocked = new Set<string>()
    for (const waiter of waiting) {
      if (blocked.has(waiter.owner)) continue
      const free = tryTake(waiter.owner)
      if (free === null) blocked.add(waiter.owner)
      else {
        waiting.delete(waiter)
        waiter.begin(free)
      }
    }
  }

  return {
    tryTake,
    async take(owner, waitMs) {
      const free = tryTake(owner)
      if (free !== null) return free
      return new Promise((resolve) => {
        const timer = setTimeout(() => {
          waiting.delete(waiter)
          resolve(null)
        }, waitMs)
        const waiter: Waiter = {
          owner,
          begin(given) {
            clearTimeout(timer)
            resolve(given)
          },
        }
        waiting.add(waiter)
      })
    },
  }
}
