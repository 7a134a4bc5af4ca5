/** Concurrent callers share one run, so a flood of probes causes only one at a time. */
export function shareRuns<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let current: Promise<Result> | null = null
  return () => {
    current ??= run().finally(() => {
      current = null
    })
    return current
  }
}
