import { backgroundRest } from '../../../mongo/batching/batcher.ts'
import { createCountsByOwner } from '../../../process/counts-by-owner.ts'
import { createBodies } from './bodies.ts'
import { createEndpointUses, type EndpointUse, growWindow, shrinkWindow } from './endpoint-uses.ts'
import {
  fastForMs,
  maxFast,
  maxFastPerBusiness,
  maxFastPerEndpoint,
  maxSlow,
  maxSlowPerBusiness,
  serveAfterMs,
} from './limits.ts'
import type { Slot, SlotClock, SlotOwner } from './slot.ts'
import { createWaits } from './waits.ts'

/**
 * The slots for attempts in one process (docs/maintainers/architecture.md, "Isolation"). Every attempt starts in a fast
 * slot, which counts towards the limits of its business, of its origin within the business, and of its endpoint. After
 * `fastForMs`, the attempt moves to a slow slot. The number of slow slots is limited separately, so that hanging
 * endpoints do not block other attempts. A business gets a slot only if it holds fewer slots than are free, so some
 * slots are always left for other businesses.
 */
export interface Slots {
  /** Takes a slot. If none is free, returns null and marks the endpoint as waiting until `clearWaiting` is called. */
  takeNow(owner: SlotOwner): Slot | null
  /**
   * Like `takeNow`, but waits up to `maxWaitMs` for a slot. If a slot becomes free in that time, the delivery needs no
   * job and is not read from MongoDB a second time. Returns null immediately if older deliveries to the endpoint are
   * waiting in MongoDB, if too many relays are waiting for slots, or if a relay of the business has recently waited
   * without getting a slot.
   */
  take(owner: SlotOwner): Promise<Slot | null>
  /** Returns the maximum number of attempts that can start for this endpoint now. */
  available(owner: SlotOwner): number
  /** Marks the endpoint as waiting until `clearWaiting` is called. */
  setWaiting(owner: SlotOwner): void
  /** Returns the waiting endpoints, starting with those that have been waiting longest. */
  waiting(): SlotOwner[]
  isWaiting(endpointId: string): boolean
  clearWaiting(endpointId: string): void
  /**
   * Sets the callback that serves the waiting endpoints, and returns the number of attempts that it started. The
   * callback is called soon after a slot becomes free, but never while a previous call is still running, and the later
   * the more attempts that one started. The callback must not throw.
   */
  onAvailable(act: () => Promise<number>): void
  /**
   * Calls the callback soon if any endpoints are waiting. This is necessary after a failure to serve an endpoint,
   * because no other slot might become free.
   */
  serveWaiting(): void
  /** The number of attempts in flight, which is the number of fast and slow slots in use. */
  inFlight(): number
  /** The number of attempts in slow slots. */
  slowInFlight(): number
  /** Makes slots available. No slots are available before `open` is called or after `close` is called. */
  open(): void
  close(): void
  isOpen(): boolean
}

interface Held {
  use: EndpointUse
  origin: string
  set: 'fast' | 'slow'
  /** The number of characters in the body. */
  length: number
  isFree: boolean
}

export function createSlots(clock: SlotClock): Slots {
  const { elapsedMs, after } = clock
  const uses = createEndpointUses(elapsedMs)
  const waiting = new Map<string, SlotOwner>()
  const fast = createCountsByOwner()
  const slow = createCountsByOwner()
  const bodies = createBodies()
  /** For each business, the slow attempts that are still in fast slots because no slow slot was free. */
  const overdue = new Map<string, Set<Held>>()
  const waits = createWaits(clock, {
    takeFree,
    onTimeout: setWaiting,
    fastInUse: fast.all,
  })
  let serve = async (): Promise<number> => 0
  let nextServeAt = 0
  let isServing = false
  let isServeRequested = false
  let isOpen = false

  function setWaiting(owner: SlotOwner): void {
    waiting.set(owner.endpointId, owner)
  }

  function availableTo(use: EndpointUse): number {
    if (!isOpen) return 0
    const { businessId } = use.owner
    const left = maxFast - fast.all()
    const ofBusiness = fast.of(businessId)
    return Math.max(
      0,
      Math.min(
        left - ofBusiness,
        maxFastPerBusiness - ofBusiness,
        maxFastPerEndpoint - fast.of(originKey(use.owner)),
        use.window - use.fast,
        bodies.capacity(use),
      ),
    )
  }

  function add(held: Held, count: 1 | -1): void {
    const { use, origin, set } = held
    use[set] += count
    if (set === 'slow') return slow.add(use.owner.businessId, count)
    fast.add(use.owner.businessId, count)
    fast.addPart(origin, count)
  }

  /** Moves a slow attempt from its fast slot to a slow one, or records it as overdue if no slow slot is free. */
  function becomeSlow(held: Held): void {
    const { businessId } = held.use.owner
    if (isSlowFree(businessId)) return changeToSlow(held)
    const late = overdue.get(businessId) ?? new Set()
    overdue.set(businessId, late.add(held))
  }

  const isSlowFree = (businessId: string): boolean =>
    slow.of(businessId) < Math.min(maxSlowPerBusiness, maxSlow - slow.all())

  function changeToSlow(held: Held): void {
    leaveOverdue(held)
    add(held, -1)
    held.set = 'slow'
    add(held, 1)
    waits.serve(held.use)
    serveSoon()
  }

  /**
   * Must be called when a slow slot becomes free. Moves overdue attempts to slow slots. Checks all businesses, because
   * the number of slow slots that a business may hold depends on how many are free.
   */
  function changeOverdue(): void {
    for (const [businessId, late] of overdue)
      for (const held of late) {
        if (!isSlowFree(businessId)) break
        changeToSlow(held)
      }
  }

  function leaveOverdue(held: Held): void {
    const { businessId } = held.use.owner
    const late = overdue.get(businessId)
    if (late?.delete(held) && late.size === 0) overdue.delete(businessId)
  }

  function serveSoon(): void {
    if (waiting.size === 0) return
    if (isServing) {
      isServeRequested = true
      return
    }
    isServing = true
    after(Math.max(serveAfterMs, nextServeAt - elapsedMs()), async () => {
      isServeRequested = false
      const servedAt = elapsedMs()
      nextServeAt = servedAt + backgroundRest(await serve())
      isServing = false
      if (isServeRequested) serveSoon()
    })
  }

  function takeFree(use: EndpointUse): Slot | null {
    if (availableTo(use) === 0) return null
    const held: Held = { use, origin: originKey(use.owner), set: 'fast', length: 0, isFree: false }
    add(held, 1)
    const cancel = after(fastForMs, () => {
      shrinkWindow(use)
      becomeSlow(held)
    })
    const { businessId } = use.owner
    return {
      count({ length }) {
        const fits = bodies.add(use, length)
        if (fits) held.length += length
        return fits
      },
      free(delivered) {
        if (held.isFree) return
        held.isFree = true
        cancel()
        leaveOverdue(held)
        add(held, -1)
        bodies.remove(businessId, held.length)
        if (delivered === true) growWindow(use)
        if (delivered === false) shrinkWindow(use)
        if (held.set === 'slow') changeOverdue()
        waits.serve(use)
        serveSoon()
      },
    }
  }

  return {
    takeNow(owner) {
      const slot = takeFree(uses.of(owner))
      if (slot === null && isOpen) setWaiting(owner)
      return slot
    },
    async take(owner) {
      if (!isOpen || waiting.has(owner.endpointId)) return null
      const use = uses.of(owner)
      const slot = waits.isEmpty(use) ? takeFree(use) : null
      if (slot !== null) return slot
      if (waits.isAllowed(use)) return waits.add(use)
      setWaiting(owner)
      return null
    },
    setWaiting,
    available: (owner) => availableTo(uses.of(owner)),
    waiting: () => [...waiting.values()],
    isWaiting: (endpointId) => waiting.has(endpointId),
    clearWaiting: (endpointId) => void waiting.delete(endpointId),
    onAvailable: (act) => void (serve = act),
    serveWaiting: serveSoon,
    inFlight: () => fast.all() + slow.all(),
    slowInFlight: slow.all,
    open: () => void (isOpen = true),
    close() {
      isOpen = false
      waits.close()
    },
    isOpen: () => isOpen,
  }
}

const originKey = ({ businessId, origin }: SlotOwner): string => `${businessId} ${origin}`
