/**
 * Tracks background work that no job is waiting for. A worker that is shutting down waits until all of this work has
 * ended.
 */
export interface BackgroundWork {
  add(work: Promise<unknown>): void
  ended(): Promise<void>
}

export function createBackgroundWork(): BackgroundWork {
  const all = new Set<Promise<unknown>>()
  return {
    add(work) {
      const one = work.finally(() => all.delete(one))
      all.add(one)
    },
    async ended() {
      while (all.size > 0) await Promise.allSettled(all)
    },
  }
}
