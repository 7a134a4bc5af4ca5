import { backgroundRest } from '../../../mongo/batching/batcher.ts'
import { createCountsByOwner } from '../../../process/counts-by-owner.ts'
import {
  fastForMs,
  maxCharacters,
  maxCharactersPerBusiness,
  maxFast,
  maxFastPerBusiness,
  maxFastPerEndpoint,
  maxSlow,
  maxSlowPerBusiness,
  serveAfterMs,
} from './limits.ts'
import {
  createEndpointUses,
  type EndpointUse,
  growWindow,
  type Slot,
  type SlotClock,
  type SlotOwner,
  shrinkWindow,
} from './slot.ts'
import { createWaits } from './waits.ts'

export type Slots = ReturnType<typeof createSlots>

interface Held {
  use: EndpointUse
  origin: string
  set: 'fast' | 'slow'
  /** The number of characters in the body. */
  length: number
  isFree: boolean
}

/**
 * The slots for attempts in one process (docs/maintainers/architecture.md, "Isolation"). Every attempt starts in a fast
 * slot, which counts towards the limits of its business, of its origin within the business, and of its endpoint. After
 * `fastForMs`, the attempt moves to a slow slot. The number of slow slots is limited separately, so that hanging
 * endpoints do not block other attempts. A business gets a slot only if it holds fewer slots than are free, so some
 * slots are always left for other businesses.
 */
export function createSlots(clock: SlotClock) {
  const { elapsedMs, after } = clock
  const useOf = createEndpointUses(elapsedMs)
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

  /** Marks the endpoint as waiting until `clearWaiting` is called. */
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
    /** Takes a slot. If none is free, returns null and marks the endpoint as waiting until `clearWaiting` is called. */
    takeNow(owner: SlotOwner): Slot | null {
      const slot = takeFree(useOf(owner))
      if (slot === null && isOpen) setWaiting(owner)
      return slot
    },
    /**
     * Like `takeNow`, but waits up to `maxWaitMs` for a slot. If one becomes free in that time, the delivery needs no
     * job and is not read from MongoDB a second time. Returns null immediately if older deliveries to the endpoint are
     * waiting in MongoDB, if too many relays are waiting for slots, or if a relay of the business has recently waited
     * without getting a slot.
     */
    async take(owner: SlotOwner): Promise<Slot | null> {
      if (!isOpen || waiting.has(owner.endpointId)) return null
      const use = useOf(owner)
      const slot = waits.isEmpty(use) ? takeFree(use) : null
      if (slot !== null) return slot
      if (waits.isAllowed(use)) return waits.add(use)
      setWaiting(owner)
      return null
    },
    setWaiting,
    /** Returns the maximum number of attempts that can start for this endpoint now. */
    available: (owner: SlotOwner): number => availableTo(useOf(owner)),
    /** Returns the waiting endpoints, starting with those that have been waiting longest. */
    waiting: (): SlotOwner[] => [...waiting.values()],
    clearWaiting: (endpointId: string): void => void waiting.delete(endpointId),
    /**
     * Sets the callback that serves the waiting endpoints, and returns the number of attempts that it started. The
     * callback is called soon after a slot becomes free, but never while a previous call is still running, and later if
     * that one started more attempts. The callback must not throw.
     */
    onAvailable: (act: () => Promise<number>): void => void (serve = act),
    /**
     * Calls the callback soon if any endpoints are waiting. This is necessary after a failure to serve an endpoint,
     * because no other slot might become free.
     */
    serveWaiting: serveSoon,
    /** The number of attempts in flight, in fast and slow slots. */
    inFlight: (): number => fast.all() + slow.all(),
    slowInFlight: slow.all,
    /** Makes slots available. No slots are available before `open` is called or after `close` is called. */
    open: (): void => void (isOpen = true),
    close(): void {
      isOpen = false
      waits.close()
    },
    isOpen: (): boolean => isOpen,
  }
}

const originKey = ({ businessId, origin }: SlotOwner): string => `${businessId} ${origin}`

/**
 * Counts, for each business, the characters in the webhook bodies that are being sent. A business may always have one
 * body in flight, however long that body is.
 */
function createBodies() {
  const inFlight = createCountsByOwner()

  const isWithinBudget = (businessId: string, length: number): boolean => {
    const own = inFlight.of(businessId)
    return own === 0 || (own + length <= maxCharactersPerBusiness && inFlight.all() + length <= maxCharacters)
  }
  return {
    /** Counts a body. If the body does not fit into the budget, returns false without counting it. */
    add(use: EndpointUse, length: number): boolean {
      const { businessId } = use.owner
      const fits = isWithinBudget(businessId, length)
      use.refusedLength = fits ? 0 : length
      if (fits) inFlight.add(businessId, length)
      return fits
    },
    remove: (businessId: string, length: number): void => inFlight.add(businessId, -length),
    /**
     * Returns how many more bodies fit into the budget, assuming that each is as long as the endpoint's last body that
     * did not fit. The caller never needs to read more than this many deliveries.
     */
    capacity({ owner: { businessId }, refusedLength }: EndpointUse): number {
      if (refusedLength === 0) return maxFastPerEndpoint
      if (!isWithinBudget(businessId, refusedLength)) return 0
      const left = Math.min(maxCharactersPerBusiness - inFlight.of(businessId), maxCharacters - inFlight.all())
      return Math.max(1, Math.floor(left / refusedLength))
    },
  }
}
