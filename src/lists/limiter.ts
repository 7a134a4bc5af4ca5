import { refuse, unavailable } from '../errors.ts'
import { createFairSlots } from '../process/fair-slots.ts'
import { withTimeout } from '../process/timeout.ts'

/** Limits how many pieces of work may run in parallel. */
export interface Bounds {
  /** The limit for each owner. */
  perOwner: number
  /** The limit for the whole process. */
  inAll: number
  /**
   * Returns how long a slot rests after work that took `tookMs`. While a slot is resting, its owner cannot use it. If
   * this function is missing, slots do not rest.
   */
  restAfter?: (tookMs: number) => number
}

/** Runs the work of many owners within limits. An owner delays any other owner by at most one piece of work. */
export type Limiter = ReturnType<typeof createLimiter>

/**
 * How long a call waits while its owner's other calls take up all of the owner's slots. After this time, the call is
 * rejected.
 */
export const maxWaitMs = 500
/**
 * The maximum number of pieces of one owner's work that may be waiting. This maximum equals the number of requests that
 * an API key may send per second.
 */
export const maxWaiting = 100

export function createLimiter({ perOwner, inAll, restAfter }: Bounds) {
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
   * Waits for a slot. Every `maxWaitMs`, checks whether the owner's earlier calls need all of the owner's slots. If
   * they do, throws RATE_LIMITED. If they do not, only the limit of the whole process delays this call. The call then
   * keeps waiting, because its owner is not the cause of the delay.
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
    /**
     * Waits for a slot, and resolves to a function that frees the slot. Throws RATE_LIMITED with the `lists` scope if
     * the owner's earlier calls still need all of the owner's slots after `maxWaitMs`, or if `maxWaiting` of the
     * owner's calls are already waiting. Throws SERVICE_UNAVAILABLE if `isGone` returns true in the meantime, because
     * the client has disconnected or the deadline has passed.
     */
    take,
    /** Waits for a slot as `take` does, and runs `work` in it. */
    async run<T>(owner: string, isGone: () => boolean, work: () => Promise<T>): Promise<T> {
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
