import { setTimeout as pause } from 'node:timers/promises'

/** At most this part of the time it keeps MongoDB busy; the rest is the customers'. */
const busyPart = 0.3
/** Rests shorter than this are gathered: a timer is not more exact. */
const shortestRestMs = 20
/** After a batch that was this slow MongoDB has other worries, but the lease must not run out over it. */
const longestRestMs = 10_000
/** A lease of a minute is renewed in good time. */
const renewEveryMs = 15_000

/** Does one batch of a clean-up, and rests for more than twice as long. Throws once the process is to end, or the lease is lost. */
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
    if (owedMs < shortestRestMs) return
    const restMs = Math.min(owedMs, longestRestMs)
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
