export type WorkTracker = ReturnType<typeof createWorkTracker>

export function createWorkTracker() {
  const all = new Set<Promise<unknown>>()
  return {
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
