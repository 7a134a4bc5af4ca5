import { setTimeout as pause } from 'node:timers/promises'

/** The maximum fraction of the time during which a clean-up uses MongoDB, so that the rest is left to customers. */
const busyPart = 0.3
/** Shorter rests are accumulated, because timers are not precise enough for them. */
const minRestMs = 20
/** A slow batch requires a long rest, but the lease must not end during that rest. */
const maxRestMs = 10_000
/** A quarter of the lease's duration (lease.ts). */
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
