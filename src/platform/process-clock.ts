export interface ProcessClock {
  elapsedMs(): number
  /** Returns a function that cancels the call. */
  after(ms: number, act: () => unknown): () => void
}

/** A monotonic clock, for durations that are measured but never stored. */
export const processClock: ProcessClock = {
  elapsedMs: () => performance.now(),
  after(ms, act) {
    const timer = setTimeout(act, ms)
    return () => clearTimeout(timer)
  },
}
