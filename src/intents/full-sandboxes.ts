/**
 * The sandboxes in which a create found no free payment code a moment ago. A create there makes 32 trips to MongoDB before it gives up, and one test key
 * could so slow down the creates of everybody.
 */
export interface FullSandboxes {
  add(businessId: string): void
  has(businessId: string): boolean
}

/** So one create a second looks again in each process. */
const keptMs = 1_000
/** More than can become full within a second. */
const mostKept = 1_000

/** `elapsedMs` is a clock that nobody sets. */
export function createFullSandboxes(elapsedMs: () => number): FullSandboxes {
  /** When each was found full, oldest first. */
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
