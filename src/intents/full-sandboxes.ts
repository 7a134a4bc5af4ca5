/**
 * Remembers the sandboxes in which a create request has recently found no free payment code. Such a request makes 32
 * round trips to MongoDB before it fails. Without this record, one test key could slow down every merchant's create
 * requests.
 */
export interface FullSandboxes {
  add(businessId: string): void
  has(businessId: string): boolean
}

/** While a sandbox is full, each process lets only one create request per second draw codes. */
const keptMs = 1_000
/** No more sandboxes than this can become full within a second. */
const maxKept = 1_000

/** `elapsedMs` must read a monotonic clock. */
export function createFullSandboxes(elapsedMs: () => number): FullSandboxes {
  /** When each sandbox was last found to be full, oldest first. */
  const foundAtMs = new Map<string, number>()
  return {
    add(businessId) {
      foundAtMs.delete(businessId)
      foundAtMs.set(businessId, elapsedMs())
      const [oldest] = foundAtMs.keys()
      if (foundAtMs.size > maxKept && oldest !== undefined) foundAtMs.delete(oldest)
    },
    has: (businessId) => elapsedMs() - (foundAtMs.get(businessId) ?? Number.NEGATIVE_INFINITY) < keptMs,
  }
}
