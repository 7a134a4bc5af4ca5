export interface ProcessClock {
  elapsedMs(): number
  /** Returns a function that cancels it. */
  after(ms: number, act: () => unknown): () => void
}

/** Monotonic; for durations that are measured but never stored. */
export const processClock: ProcessClock = {
  elapsedMs: () => performance.now(),
  after(ms, act) {
    const timer = setTimeout(act, ms)
    return () => clearTimeout(timer)
  },
}
