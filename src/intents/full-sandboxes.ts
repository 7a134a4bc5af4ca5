/**
 * The sandboxes in which a create found no free payment code a moment ago. Such a create makes 32 round trips to MongoDB before it gives up, so
 * without this one test key could slow down the creates of every merchant.
 */
export interface FullSandboxes {
  add(businessId: string): void
  has(businessId: string): boolean
}

/** In each process, one create a second tries again. */
const keptMs = 1_000
/** More than can become full within a second. */
const mostKept = 1_000

/** `elapsedMs` is a monotonic clock. */
export function createFullSandboxes(elapsedMs: () => number): FullSandboxes {
  /** When each sandbox was found full, oldest first. */
  const foundAtMs = new Map<string, number>()
  return {
    add(businessId) {
      foundAtMs.delete(businessId)
      foundAtMs.set(businessId, elapsedMs())
      const [oldest] = foundAtMs.keys()
      if (foundAtMs.size > mostKept && oldest !== undefined) foundAtMs.delete(oldest)
    },
    has: (businessId) => elapsedMs() - (foundAtMs.get(businessId) ?? Number.NEGATIVE_INFINITY) < keptMs,
  }
}
