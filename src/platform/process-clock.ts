export interface ProcessClock {
  /** Monotonic. Use it only for durations, and never store it. */
  elapsedMs(): number
  after(ms: number, act: () => unknown): () => void
}

export const processClock: ProcessClock = {
  elapsedMs: () => performance.now(),
  after(ms, act) {
    const timer = setTimeout(act, ms)
    return () => clearTimeout(timer)
  },
}
