/**
 * Makes all concurrent callers share one run and its result, so that a flood of probes causes only one run at a time.
 */
export function shareRuns<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let current: Promise<Result> | null = null
  return () => {
    current ??= run().finally(() => {
      current = null
    })
    return current
  }
}
