import { useLast } from '../process/use-last.ts'

/**
 * Remembers which sandboxes are full. A sandbox is full if a create request has recently found no free payment code in
 * it. Such a request makes 32 round trips to MongoDB before it fails. Without this record, one test key could slow down
 * the create requests of all merchants.
 */
export type FullSandboxes = ReturnType<typeof createFullSandboxes>

/**
 * How long a process remembers that a sandbox is full. During this time, it rejects create requests in that sandbox
 * without drawing codes.
 */
const keptMs = 1_000
/** The maximum number of sandboxes to remember. No more sandboxes than this can become full within a second. */
const maxKept = 1_000

/** Creates an empty record. `elapsedMs` must read a monotonic clock. */
export function createFullSandboxes(elapsedMs: () => number) {
  /** The time at which each sandbox was last found to be full, starting with the oldest. */
  const foundAtMs = new Map<string, number>()
  return {
    add(businessId: string): void {
      useLast(foundAtMs, businessId, elapsedMs(), maxKept)
    },
    has: (businessId: string): boolean =>
      elapsedMs() - (foundAtMs.get(businessId) ?? Number.NEGATIVE_INFINITY) < keptMs,
  }
}
