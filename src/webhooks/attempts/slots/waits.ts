import { createCountsByOwner } from '../../../process/counts-by-owner.ts'
import {
  maxFast,
  maxFastPerBusiness,
  maxWaitMs,
  maxWaits,
  maxWaitsPerBusiness,
  maxWaitsPerEndpoint,
  noWaitForMs,
} from './limits.ts'
import type { EndpointUse, Slot, SlotClock, SlotOwner } from './slot.ts'

interface Wait {
  since: number
  resolve(slot: Slot | null): void
}

interface SlotSource {
  /** Takes a slot, or returns null if none is free. */
  takeFree(use: EndpointUse): Slot | null
  /**
   * Called when a relay has waited for `maxWaitMs` without getting a slot. All relays of its business then stop
   * waiting, and this function is called for each of their endpoints.
   */
  onTimeout(owner: SlotOwner): void
  fastInUse(): number
}

/** The relays that are waiting for a slot, in the order in which they began to wait. */
export function createWaits({ elapsedMs, after }: SlotClock, slots: SlotSource) {
  const waits = new Map<EndpointUse, Wait[]>()
  const counts = createCountsByOwner()
  /** For each business id, the time from which the business's relays may wait for slots again. */
  const allowedAt = new Map<string, number>()
  let isTimed = false

  function end(use: EndpointUse, slot: Slot | null): void {
    const queue = waits.get(use) ?? []
    const next = queue.shift()
    if (queue.length === 0) waits.delete(use)
    counts.add(use.owner.businessId, -1)
    next?.resolve(slot)
  }

  function give(use: EndpointUse): void {
    while (waits.has(use)) {
      const slot = slots.takeFree(use)
      if (slot === null) return
      end(use, slot)
    }
  }

  /**
   * Whether so few fast slots are free that a business may be waiting because of the limit for the process, and not
   * because of its own limits. If so, a slot that becomes free may be of use to the relays of any business. Otherwise,
   * it is of use only to the relays of the business that freed it.
   */
  const isTight = (): boolean => slots.fastInUse() + maxFastPerBusiness >= maxFast

  function giveUp(businessId: string, now: number): void {
    allowedAt.set(businessId, now + noWaitForMs)
    for (const use of waits.keys()) {
      if (use.owner.businessId !== businessId) continue
      slots.onTimeout(use.owner)
      while (waits.has(use)) end(use, null)
    }
  }

  function giveUpSoon(): void {
    if (isTimed || waits.size === 0) return
    isTimed = true
    after(maxWaitMs / 5, () => {
      isTimed = false
      const now = elapsedMs()
      for (const [businessId, at] of allowedAt) if (at <= now) allowedAt.delete(businessId)
      for (const [use, [oldest]] of waits)
        if (now - (oldest?.since ?? now) >= maxWaitMs) giveUp(use.owner.businessId, now)
      giveUpSoon()
    })
  }

  return {
    isAllowed: (use: EndpointUse): boolean =>
      (allowedAt.get(use.owner.businessId) ?? 0) <= elapsedMs() &&
      (waits.get(use)?.length ?? 0) < maxWaitsPerEndpoint &&
      counts.of(use.owner.businessId) < maxWaitsPerBusiness &&
      counts.all() < maxWaits,
    isEmpty: (use: EndpointUse): boolean => !waits.has(use),
    /** Waits for a slot. Resolves to null after `maxWaitMs`. */
    add: (use: EndpointUse): Promise<Slot | null> =>
      new Promise((resolve) => {
        const queue = waits.get(use) ?? []
        queue.push({ since: elapsedMs(), resolve })
        waits.set(use, queue)
        counts.add(use.owner.businessId, 1)
        giveUpSoon()
      }),
    /**
     * Gives free slots to waiting relays. `first` is the endpoint that freed a slot, and relays for this endpoint get
     * slots before relays for other endpoints.
     */
    serve(first: EndpointUse): void {
      if (waits.size === 0) return
      give(first)
      const isForAll = isTight()
      for (const use of waits.keys()) if (isForAll || use.owner.businessId === first.owner.businessId) give(use)
    },
    /** Makes all waits resolve to null. */
    close(): void {
      for (const use of waits.keys()) while (waits.has(use)) end(use, null)
    },
  }
}
