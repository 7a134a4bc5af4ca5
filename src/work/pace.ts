import { setTimeout as pause } from 'node:timers/promises'
import { createTimeMeters, timeMeterLimits } from '../limits/rate.ts'

/** Leaves most of a lease for a long batch. */
const renewEveryMs = 5_000

/** Pauses after a batch. Throws if the lease is lost or the process stops. */
export type Pacer = <T>(batch: () => Promise<T>) => Promise<T>

export function createPacer(
  ending = new AbortController().signal,
  renew: () => Promise<void> = async () => undefined,
): Pacer {
  const meter = createTimeMeters(timeMeterLimits.background, () => performance.now())('run')
  let renewedAt = performance.now()
  const renewInTime = async (): Promise<void> => {
    if (performance.now() - renewedAt < renewEveryMs) return
    await renew()
    renewedAt = performance.now()
  }
  return async (batch) => {
    ending.throwIfAborted()
    await renewInTime()
    const beganAt = performance.now()
    try {
      return await batch()
    } finally {
      meter.count(performance.now() - beganAt)
      await renewInTime()
      const restMs = meter.waitMs()
      if (restMs > 0) await pause(restMs, undefined, { signal: ending })
    }
  }
}
