import { withTimeout } from './timeout.ts'

/**
 * A process's slots, shared among owners. A free slot goes to the owner with the fewest slots. Among equals, it goes to
 * the owner that has waited longest since it last got a slot.
 */
export interface FairSlots {
  /** Takes a slot. Returns a function that frees it, or null if the owner may not take one now. */
  takeNow(owner: string): Free | null
  /** Like `takeNow`, but waits for a slot for up to `waitMs`. */
  take(owner: string, waitMs: number): Promise<Free | null>
  /** Waits for a slot until the caller calls `leave`. */
  wait(owner: string): Wait
  heldBy(owner: string): number
  held(): number
  waitingFor(owner: string): number
  waiting(): number
}

/** Frees a slot. Call it once. */
export type Free = () => void

export interface Wait {
  granted: Promise<Free>
  /** How many of the same owner's waits are ahead of this one. */
  ahead(): number
  /** Ends the wait: `granted` never resolves. */
  leave(): void
}

/** Whether an owner with `held` slots may take one more while `taken` are held in total. */
export type MayTake = (held: number, taken: number, owner: string) => boolean

/**
 * An owner may take a slot while it holds fewer slots than are free. So it holds at most half of the slots, and others
 * always find free slots.
 */
export const fewerThanFree =
  (total: number): MayTake =>
  (held, taken) =>
    held < total - taken

interface Share {
  held: number
  waits: Set<(free: Free) => void>
}

export function createFairSlots(mayTake: MayTake): FairSlots {
  /** Owners with slots or waits, in the order in which they last took a slot. */
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
    let grantTo: (free: Free) => void = () => undefined
    const granted = new Promise<Free>((resolve) => {
      grantTo = resolve
    })
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
    takeNow,
    wait,
    async take(owner, waitMs) {
      const free = takeNow(owner)
      if (free !== null) return free
      const { granted, leave } = wait(owner)
      return withTimeout(granted, waitMs, () => {
        leave()
        return null
      })
    },
    heldBy: (owner) => shares.get(owner)?.held ?? 0,
    held: () => taken,
    waitingFor: (owner) => shares.get(owner)?.waits.size ?? 0,
    waiting: () => waiting,
  }
}
