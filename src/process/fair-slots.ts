import { withTimeout } from './timeout.ts'

/**
 * A process's slots, which owners share fairly. A free slot goes to the waiting owner that holds the fewest slots. If
 * several owners hold equally few slots, the slot goes to the owner whose last slot was granted longest ago.
 */
export type FairSlots = ReturnType<typeof createFairSlots>

/** Frees a slot. Must be called exactly once. */
export type Free = () => void

export interface Wait {
  granted: Promise<Free>
  /** Returns how many waiting calls of the same owner are ahead of this one. */
  ahead(): number
  /** Ends the wait. If `granted` has not resolved by then, it never will. */
  leave(): void
}

/** Returns whether an owner that holds `held` slots may take another while all owners together hold `taken`. */
export type MayTake = (held: number, taken: number, owner: string) => boolean

/**
 * Allows an owner to take a slot only while it holds fewer slots than are free. On its own, an owner can therefore take
 * only about half of the slots and never all of them.
 */
export const fewerThanFree =
  (total: number): MayTake =>
  (held, taken) =>
    held < total - taken

interface Share {
  held: number
  waits: Set<(free: Free) => void>
}

export function createFairSlots(mayTake: MayTake) {
  /** All owners that hold or are waiting for a slot, in the order in which they last took a slot. */
  const shares = new Map<string, Share>()
  let taken = 0
  let waiting = 0

  const shareOf = (owner: string): Share => {
    const share = shares.get(owner) ?? { held: 0, waits: new Set() }
    shares.set(owner, share)
    return share
  }

  function forgetIdle(owner: string, { held, waits }: Share): void {
    if (held === 0 && waits.size === 0) shares.delete(owner)
  }

  function grant(owner: string, share: Share): Free {
    share.held += 1
    taken += 1
    shares.delete(owner)
    shares.set(owner, share)
    return () => {
      share.held -= 1
      taken -= 1
      forgetIdle(owner, share)
      serveWaiting()
    }
  }

  function serveWaiting(): void {
    while (waiting > 0) {
      const next = nextOwner()
      if (next === null) return
      const [owner, share] = next
      const [first] = share.waits
      if (first === undefined) return
      share.waits.delete(first)
      waiting -= 1
      first(grant(owner, share))
    }
  }

  function nextOwner(): [string, Share] | null {
    let best: [string, Share] | null = null
    for (const entry of shares) {
      const [owner, { held, waits }] = entry
      if (waits.size === 0 || (best !== null && held >= best[1].held)) continue
      if (mayTake(held, taken, owner)) best = entry
    }
    return best
  }

  function takeNow(owner: string): Free | null {
    return mayTake(shares.get(owner)?.held ?? 0, taken, owner) ? grant(owner, shareOf(owner)) : null
  }

  function wait(owner: string): Wait {
    const share = shareOf(owner)
    const { promise: granted, resolve: grantTo } = Promise.withResolvers<Free>()
    share.waits.add(grantTo)
    waiting += 1
    serveWaiting()
    return {
      granted,
      ahead: () => [...share.waits].indexOf(grantTo),
      leave() {
        if (!share.waits.delete(grantTo)) return
        waiting -= 1
        forgetIdle(owner, share)
      },
    }
  }

  return {
    /**
     * Takes a slot without waiting. Returns a function that frees the slot, or null if the owner may not take one now.
     */
    takeNow,
    /** Waits for a slot until the caller calls `leave`. */
    wait,
    /** Waits up to `waitMs` for a slot and takes it. Resolves to null if no slot was granted in that time. */
    async take(owner: string, waitMs: number): Promise<Free | null> {
      const free = takeNow(owner)
      if (free !== null) return free
      const { granted, leave } = wait(owner)
      return withTimeout(granted, waitMs, () => {
        leave()
        return null
      })
    },
    heldBy: (owner: string): number => shares.get(owner)?.held ?? 0,
    held: (): number => taken,
    waitingFor: (owner: string): number => shares.get(owner)?.waits.size ?? 0,
    waiting: (): number => waiting,
  }
}
