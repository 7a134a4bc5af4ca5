/**
 * Tracks background work that no job is waiting for. A worker that is shutting down waits until all of this work has
 * ended.
 */
export type BackgroundWork = ReturnType<typeof createBackgroundWork>

export function createBackgroundWork() {
  const all = new Set<Promise<unknown>>()
  return {
    add(work: Promise<unknown>): void {
      const one = work.finally(() => all.delete(one))
      all.add(one)
    },
    async ended(): Promise<void> {
      while (all.size > 0) await Promise.allSettled(all)
    },
  }
}
