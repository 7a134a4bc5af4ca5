/** Tracks work that is in progress, so that a process that is shutting down can wait until all of it has ended. */
export type RunningWork = ReturnType<typeof createRunningWork>

export function createRunningWork() {
  const all = new Set<Promise<unknown>>()
  return {
    /** Tracks `work`, and returns it. */
    add<T>(work: Promise<T>): Promise<T> {
      const end = (): unknown => all.delete(work)
      all.add(work)
      work.then(end, end)
      return work
    },
    async ended(): Promise<void> {
      while (all.size > 0) await Promise.allSettled(all)
    },
  }
}
