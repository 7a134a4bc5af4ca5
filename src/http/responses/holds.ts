import type { ServerResponse } from 'node:http'
import { createCountsByOwner } from '../../process/counts-by-owner.ts'

/** The memory that a single response uses. */
export interface Hold {
  readonly businessId: string
  readonly response: ServerResponse
  bytes: number
  /**
   * The time at which the client last read part of the response, as a `performance.now()` value. Null while the
   * response is being built.
   */
  movedAt: number | null
}

/** Tracks how much memory each business's responses use. */
export interface Holds {
  taken(): number
  takenBy(businessId: string): number
  /** Returns the business that uses the most memory, or null if no memory is in use. */
  largest(): { businessId: string; bytes: number } | null
  add(hold: Hold): void
  resize(hold: Hold, bytes: number): void
  remove(hold: Hold): void
  /**
   * Closes the connection of the business's longest-stalled response. Returns false if no response has been stalled for
   * `stalledMs`.
   */
  cutOldest(businessId: string, stalledMs: number): boolean
}

/**
 * Creates the tracker of responses that hold memory. `changed` is called after each change. It receives the number of
 * bytes in use, and whether that number has decreased.
 */
export function createHolds(changed: (taken: number, isLess: boolean) => void): Holds {
  const holds = new Set<Hold>()
  const taken = createCountsByOwner()

  function change({ businessId }: Hold, bytes: number): void {
    if (bytes === 0) return
    taken.add(businessId, bytes)
    changed(taken.all(), bytes < 0)
  }

  function resize(hold: Hold, bytes: number): void {
    if (!holds.has(hold)) return
    const more = bytes - hold.bytes
    hold.bytes = bytes
    change(hold, more)
  }

  function remove(hold: Hold): void {
    resize(hold, 0)
    holds.delete(hold)
  }

  return {
    taken: taken.all,
    takenBy: taken.of,
    largest() {
      let largest: { businessId: string; bytes: number } | null = null
      for (const [businessId, bytes] of taken.entries())
        if (bytes > (largest?.bytes ?? 0)) largest = { businessId, bytes }
      return largest
    },
    add(hold) {
      holds.add(hold)
      change(hold, hold.bytes)
    },
    resize,
    remove,
    cutOldest(businessId, stalledMs) {
      let latest = performance.now() - stalledMs
      let oldest: Hold | null = null
      for (const hold of holds)
        if (hold.businessId === businessId && hold.movedAt !== null && hold.movedAt <= latest) {
          latest = hold.movedAt
          oldest = hold
        }
      if (oldest === null) return false
      remove(oldest)
      oldest.response.destroy()
      return true
    },
  }
}
