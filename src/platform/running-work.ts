declare module './deps.ts' {
  interface Deps {
    /** Attempts and wallet queries that no job waits for. */
    backgroundWork: RunningWork
  }
}

/** Lets a process that shuts down wait for work in progress. */
export type RunningWork = ReturnType<typeof createRunningWork>

export function createRunningWork() {
  const all = new Set<Promise<unknown>>()
  return {
    /** Returns `work`. */
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
