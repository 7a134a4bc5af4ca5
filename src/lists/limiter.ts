import { refuse, unavailable } from '../errors.ts'
import { createFairSlots } from '../process/fair-slots.ts'
import { withTimeout } from '../process/timeout.ts'

/** How many pieces of work may run in parallel. */
export interface Bounds {
  /** For one owner. */
  perOwner: number
  /** In this process. */
  inAll: number
  /**
   * Returns how long a slot rests after work that took `tookMs`. Meanwhile its owner cannot use it. If not set, slots
   * do not rest.
   */
  restAfter?: (tookMs: number) => number
}

/** Runs many owners' work within limits. One owner delays another by at most one piece of work. */
export interface Limiter {
  /**
   * Waits for a slot, and resolves to a function that frees it. Throws RATE_LIMITED (scope `lists`) if the owner's own
   * work blocks it for `maxWaitMs`, or if `maxWaiting` pieces of the owner's work are already waiting. Throws
   * SERVICE_UNAVAILABLE if the caller `isGone` in the meantime.
   */
  take(owner: string, isGone: () => boolean): Promise<() => void>
  /** Runs work in a slot. */
  run<T>(owner: string, isGone: () => boolean, work: () => Promise<T>): Promise<T>
  running(): number
  waiting(): number
}

/** How long work waits for its owner's other work before it is refused. */
export const maxWaitMs = 500
/** How much work of one owner may wait: as many requests as a key may send in a second. */
export const maxWaiting = 100

export function createLimiter({ perOwner, inAll, restAfter }: Bounds): Limiter {
  const slots = createFairSlots((held, taken) => held < perOwner && taken < inAll)

  const tooMany = () =>
    refuse('RATE_LIMITED', {
      message: `A business can run ${perOwner} lists and exports at once. Wait for one to finish.`,
      details: { scope: 'lists', limit: perOwner },
      retryAfterSeconds: 1,
    })

  async function take(owner: string, isGone: () => boolean): Promise<() => void> {
    if (slots.waitingFor(owner) >= maxWaiting) throw tooMany()
    const free = await waitForSlot(owner, isGone)
    if (isGone()) {
      free()
      throw unavailable()
    }
    if (restAfter === undefined) return free
    const beganAt = performance.now()
    return () => {
      const restMs = restAfter(performance.now() - beganAt)
      if (restMs <= 0) free()
      else setTimeout(free, restMs).unref()
    }
  }

  /**
   * Throws if the owner's own work blocks it. Work that is blocked only because the process is full keeps waiting,
   * because its owner is not the cause.
   */
  async function waitForSlot(owner: string, isGone: () => boolean): Promise<() => void> {
    const { granted, ahead, leave } = slots.wait(owner)
    const review = (): null => {
      const isBlocked = ahead() >= perOwner - slots.heldBy(owner)
      if (!isGone() && !isBlocked) return null
      leave()
      throw isGone() ? unavailable() : tooMany()
    }
    for (;;) {
      const free = await withTimeout(granted, maxWaitMs, review)
      if (free !== null) return free
    }
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
    running: slots.held,
    waiting: slots.waiting,
  }
}
