import { setTimeout as pause } from 'node:timers/promises'

/**
 * A clean-up uses MongoDB for at most this fraction of the time. The rest of the time is left for customers' requests.
 */
const busyPart = 0.3
/**
 * Rests that are shorter than this are added up until they are long enough, because timers are not precise enough for
 * shorter rests.
 */
const minRestMs = 20
/**
 * The maximum length of a rest. After a slow batch, the rest would otherwise be so long that the lease could end during
 * the rest.
 */
const maxRestMs = 10_000
/**
 * The lease is renewed when this much time has passed since it was last renewed. This is a quarter of the lease's
 * duration (lease.ts).
 */
const renewEveryMs = 15_000

/**
 * Runs one batch and then rests for more than twice as long as the batch took. Throws if the process is shutting down
 * or the lease is lost.
 */
export type Pace = <T>(batch: () => Promise<T>) => Promise<T>

export function createPace(ending: AbortSignal, renew: () => Promise<void>): Pace {
  let owedMs = 0
  let renewedAt = performance.now()
  const renewInTime = async (): Promise<void> => {
    if (performance.now() - renewedAt < renewEveryMs) return
    await renew()
    renewedAt = performance.now()
  }
  const rest = async (): Promise<void> => {
    if (owedMs < minRestMs) return
    const restMs = Math.min(owedMs, maxRestMs)
    owedMs = 0
    await pause(restMs, undefined, { signal: ending })
  }
  return async (batch) => {
    ending.throwIfAborted()
    await renewInTime()
    const beganAt = performance.now()
    try {
      return await batch()
    } finally {
      owedMs += ((performance.now() - beganAt) * (1 - busyPart)) / busyPart
      await renewInTime()
      await rest()
    }
  }
}
