import type { ServerResponse } from 'node:http'

/** The memory that one response of a business takes. */
export interface Hold {
  readonly businessId: string
  readonly response: ServerResponse
  bytes: number
  /** When the client last read part of the response, by `performance.now()`; null while the response is being built. */
  movedAt: number | null
}

/** Accounts for the memory that responses take, by business. */
export interface Holds {
  taken(): number
  takenBy(businessId: string): number
  /** The business that takes the most. */
  largest(): { businessId: string; bytes: number } | null
  add(hold: Hold): void
  resize(hold: Hold, bytes: number): void
  remove(hold: Hold): void
  /** Closes the connection of the business's longest-stalled response. Returns false if none has been stalled for `stalledMs`. */
  cutOldest(businessId: string, stalledMs: number): boolean
}

/** `changed` is called after each change, with the bytes now taken and whether that is less than before. */
export function createHolds(changed: (taken: number, isLess: boolean) => void): Holds {
  const holds = new Set<Hold>()
  const byBusiness = new Map<string, number>()
  let taken = 0

  function change({ businessId }: Hold, bytes: number): void {
    if (bytes === 0) return
    taken += bytes
    const ofBusiness = (byBusiness.get(businessId) ?? 0) + bytes
    if (ofBusiness === 0) byBusiness.delete(businessId)
    else byBusiness.set(businessId, ofBusiness)
    changed(taken, bytes < 0)
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
    taken: () => taken,
    takenBy: (businessId) => byBusiness.get(businessId) ?? 0,
    largest() {
      let largest: { businessId: string; bytes: number } | null = null
      for (const [businessId, bytes] of byBusiness)
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
