import { setTimeout as pause } from 'node:timers/promises'

/** A clean-up uses MongoDB for at most this part of the time, and leaves the rest to customers. */
const busyPart = 0.3
/** Shorter rests are accumulated, because timers are no more exact than this. */
const minRestMs = 20
/** A slow batch needs a long rest, but the lease must not end during it. */
const maxRestMs = 10_000
/** A quarter of the lease (lease.ts). */
const renewEveryMs = 15_000

/** Runs one batch, then rests for more than twice as long. Throws if the process is ending or the lease is lost. */
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
