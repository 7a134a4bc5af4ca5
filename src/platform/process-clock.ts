export interface ProcessClock {
  elapsedMs(): number
  /** Calls `act` after `ms` milliseconds. Returns a function that cancels the call. */
  after(ms: number, act: () => unknown): () => void
}

/** The monotonic clock of the process, for durations that are only measured and never stored. */
export const processClock: ProcessClock = {
  elapsedMs: () => performance.now(),
  after(ms, act) {
    const timer = setTimeout(act, ms)
    return () => clearTimeout(timer)
  },
}
