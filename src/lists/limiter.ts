import { refuse, unavailable } from '../errors.ts'

/** How much runs at once. */
export interface Bounds {
  /** Of one owner. */
  perOwner: number
  /** In this process. */
  inAll: number
  /** How long a slot rests after work that took so long, both in ms; without it, not at all. Nothing of its owner runs there meanwhile. */
  restAfter?: (tookMs: number) => number
}

/** Runs work of many owners within bounds, so that no owner's work delays another's for longer than one piece of work takes. */
export interface Limiter {
  /**
   * Waits for a slot, and resolves to what frees it. Throws RATE_LIMITED (scope `lists`) where the owner's own work holds it up for
   * `shareWaitMs`, or already holds up as much as may wait, and SERVICE_UNAVAILABLE where the caller `isGone` by then.
   */
  take(owner: string, isGone: () => boolean): Promise<() => void>
  /** Runs work in a slot. */
  run<T>(owner: string, isGone: () => boolean, work: () => Promise<T>): Promise<T>
  running(): number
  waiting(): number
}

/** Work that waits behind other work of its owner gives up after this, in ms. */
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
  /** Of owners with work that runs or waits. The one that got a slot last stands last. */
  const shares = new Map<string, Share>()
  let running = 0

  const tooMany = () =>
    refuse('RATE_LIMITED', {
      message: `Too many lists at once: ${perOwner} of a business are read at the same time.`,
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

  /** Refuses a waiter for which its owner's share has no slot. One that the whole process holds up waits on: its owner is not to blame. */
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

  /** Gives free slots to the owner that has the fewest, among equals to the one that got none for the longest. */
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
