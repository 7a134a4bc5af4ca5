export function coalesceRuns<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let current: Promise<Result> | null = null
  return () => (current ??= run().finally(() => (current = null)))
}
