import { refuse, unavailable } from '../errors.ts'

/** How many pieces of work run at once. */
export interface Bounds {
  /** For one owner. */
  perOwner: number
  /** In this process. */
  inAll: number
  /** Returns how long a slot rests after work that took `tookMs`. Meanwhile its owner cannot use it. Without this, slots do not rest. */
  restAfter?: (tookMs: number) => number
}

/** Runs the work of many owners within bounds. One owner delays another by at most one piece of work. */
export interface Limiter {
  /**
   * Waits for a slot, and resolves to a function that frees it. Throws RATE_LIMITED (scope `lists`) if the owner's own work blocks it for
   * `shareWaitMs`, or if `mostWaiting` of the owner already wait. Throws SERVICE_UNAVAILABLE if the caller `isGone` meanwhile.
   */
  take(owner: string, isGone: () => boolean): Promise<() => void>
  /** Runs work in a slot. */
  run<T>(owner: string, isGone: () => boolean, work: () => Promise<T>): Promise<T>
  running(): number
  waiting(): number
}

/** How long work waits for its owner's other work before it is refused. */
export const shareWaitMs = 500
/** How much work of one owner may wait: as many requests as a key may send in a second. */
export const mostWaiting = 100

interface Waiter {
  isGone: () => boolean
  begin(): void
  giveUp(error: Error): void
  timer: NodeJS.Timeout
}

interface Share {
  running: number
  waiting: Waiter[]
}

export function createLimiter({ perOwner, inAll, restAfter }: Bounds): Limiter {
  /** Owners with work that runs or waits, in the order of their last slot, most recent last. */
  const shares = new Map<string, Share>()
  let running = 0

  const tooMany = () =>
    refuse('RATE_LIMITED', {
      message: `Too many lists at once: a business may run ${perOwner} at a time.`,
      details: { scope: 'lists', limit: perOwner },
      retryAfterSeconds: 1,
    })

  async function take(owner: string, isGone: () => boolean): Promise<() => void> {
    const share = shares.get(owner) ?? { running: 0, waiting: [] }
    if (share.waiting.length >= mostWaiting) throw tooMany()
    await new Promise<void>((begin, giveUp) => {
      const timer = setInterval(() => review(owner, share, waiter), shareWaitMs)
      const waiter: Waiter = { isGone, begin, giveUp, timer }
      share.waiting.push(waiter)
      shares.set(owner, share)
      grant()
    })
    if (restAfter === undefined) return () => release(owner, share)
    const beganAt = performance.now()
    return () => {
      const restMs = restAfter(performance.now() - beganAt)
      if (restMs <= 0) release(owner, share)
      else setTimeout(() => release(owner, share), restMs).unref()
    }
  }

  /**
   * Refuses a waiter if its owner's share has no slot for it. A waiter that only the full process blocks keeps waiting: its owner is not the
   * cause.
   */
  function review(owner: string, share: Share, waiter: Waiter): void {
    if (waiter.isGone()) leave(owner, share, waiter, unavailable())
    else if (share.waiting.indexOf(waiter) >= perOwner - share.running) leave(owner, share, waiter, tooMany())
  }

  function leave(owner: string, share: Share, waiter: Waiter, error: Error): void {
    clearInterval(waiter.timer)
    share.waiting.splice(share.waiting.indexOf(waiter), 1)
    forgetIdle(owner, share)
    waiter.giveUp(error)
  }

  /** Gives each free slot to the owner with the fewest. Among equals, the one whose last slot is longest ago comes first. */
  function grant(): void {
    while (running < inAll) {
      const next = mostDeserving()
      if (next === null) return
      const [owner, share] = next
      const waiter = share.waiting[0]
      if (waiter === undefined) return
      if (waiter.isGone()) {
        leave(owner, share, waiter, unavailable())
        continue
      }
      clearInterval(waiter.timer)
      share.waiting.shift()
      share.running += 1
      running += 1
      shares.delete(owner)
      shares.set(owner, share)
      waiter.begin()
    }
  }

  function mostDeserving(): [string, Share] | null {
    let best: [string, Share] | null = null
    for (const entry of shares) {
      const [, share] = entry
      if (share.waiting.length === 0 || share.running >= perOwner) continue
      if (best === null || share.running < best[1].running) best = entry
    }
    return best
  }

  function release(owner: string, share: Share): void {
    share.running -= 1
    running -= 1
    forgetIdle(owner, share)
    grant()
  }

  function forgetIdle(owner: string, { running: some, waiting }: Share): void {
    if (some === 0 && waiting.length === 0) shares.delete(owner)
  }

  return {
    take,
    async run(owner, isGone, work) {
      const free = await take(owner, isGone)
      try {
        return await work()
      } finally {
        free()
      }
    },
    running: () => running,
    waiting: () => [...shares.values()].reduce((sum, { waiting }) => sum + waiting.length, 0),
  }
}
