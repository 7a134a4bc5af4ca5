import { createBodies } from './bodies.ts'
import { createCounts } from './counts.ts'
import { createEndpointUses, type EndpointUse, trustLess, trustMore } from './endpoint-uses.ts'
import {
  backAfterMs,
  backEveryMs,
  fastForMs,
  mostFast,
  mostFastOfBusiness,
  mostFastOfEndpoint,
  mostSlow,
  mostSlowOfBusiness,
  serveAfterMs,
} from './limits.ts'
import type { Slot, SlotClock, SlotOwner } from './slot.ts'
import { createWaits } from './waits.ts'

/**
 * Slots for the attempts of one process (docs/architecture.md, "Isolation"). An attempt needs one slot, which counts for its business, for its
 * business and origin, and for its endpoint. After `fastForMs` it moves to a second, bounded set, so that endpoints that hang do not keep other
 * attempts from beginning. No business ever holds more slots than remain free.
 */
export interface Slots {
  /** Takes a slot. If there is none, returns null, and the endpoint waits until `served`. */
  tryTake(owner: SlotOwner): Slot | null
  /**
   * As `tryTake`, but waits a little for a slot, if the attempts of the business end quickly: what waits here costs no job and no second read.
   * Returns null at once for an endpoint whose deliveries wait in MongoDB already.
   */
  take(owner: SlotOwner): Promise<Slot | null>
  /** How many attempts at the endpoint could begin now. */
  room(owner: SlotOwner): number
  /** The endpoint waits until `served`. */
  wait(owner: SlotOwner): void
  /** The endpoints that wait for slots, in the order in which they were refused one. */
  waiting(): SlotOwner[]
  /** Whether the endpoint waits. */
  isWaiting(endpointId: string): boolean
  /** The endpoint has no delivery left that could begin. */
  served(endpointId: string): void
  /** Calls `act` soon after slots became free while endpoints wait, never twice at once. It must not throw. */
  onRoom(act: () => Promise<void>): void
  /** Calls it soon, if endpoints wait: they may have found a fault instead of their deliveries, and then no slot becomes free for them. */
  serveWaiting(): void
  /** In how many milliseconds a job that found no slot shall come back. */
  backOff(owner: SlotOwner): number
  /** Attempts in flight, of both sets. */
  inFlight(): number
  /** How many of them are in the second set. */
  slowInFlight(): number
  /** A process has slots from `open`, when its worker begins, to `close`, when it stops. */
  open(): void
  close(): void
  isOpen(): boolean
}

interface Held {
  use: EndpointUse
  origin: string
  set: 'fast' | 'slow'
  /** Characters of the body. */
  length: number
  isFree: boolean
}

export function createSlots(clock: SlotClock): Slots {
  const { elapsedMs, after } = clock
  const uses = createEndpointUses(elapsedMs)
  const waiting = new Map<string, SlotOwner>()
  const fast = createCounts()
  const slow = createCounts()
  const bodies = createBodies()
  /** By business: attempts open for longer than `fastForMs` that still count as fast. */
  const overdue = new Map<string, Set<Held>>()
  const waits = createWaits(clock, {
    takeFree,
    gaveUp: wait,
    held: (businessId) => (businessId === undefined ? fast.all() : fast.of(businessId)),
  })
  let serve = async (): Promise<void> => undefined
  let isServing = false
  let isAskedAgain = false
  let isOpen = false

  function wait(owner: SlotOwner): void {
    waiting.set(owner.endpointId, owner)
  }

  function roomOf(use: EndpointUse): number {
    if (!isOpen) return 0
    const { businessId } = use.owner
    const left = mostFast - fast.all()
    const ofBusiness = fast.of(businessId)
    return Math.max(
      0,
      Math.min(
        left - ofBusiness,
        mostFastOfBusiness - ofBusiness,
        mostFastOfEndpoint - fast.of(originKey(use.owner)),
        use.mostFast - use.fast,
        bodies.room(use),
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

  /** Frees the fast slot of an attempt that is open for long. If there is no slow one for it, it moves when there is. */
  function moveAside(held: Held): void {
    const { businessId } = held.use.owner
    if (hasSlowRoom(businessId)) return moveToSlow(held)
    const late = overdue.get(businessId) ?? new Set()
    overdue.set(businessId, late.add(held))
  }

  const hasSlowRoom = (businessId: string): boolean =>
    slow.of(businessId) < Math.min(mostSlowOfBusiness, mostSlow - slow.all())

  function moveToSlow(held: Held): void {
    leaveOverdue(held)
    add(held, -1)
    held.set = 'slow'
    add(held, 1)
    waits.serve(held.use)
    serveSoon()
  }

  /** A slow slot became free: it may serve any business, because the share of each depends on how many are free. */
  function moveOverdue(): void {
    for (const [businessId, late] of overdue)
      for (const held of late) {
        if (!hasSlowRoom(businessId)) break
        moveToSlow(held)
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
      isAskedAgain = true
      return
    }
    isServing = true
    after(serveAfterMs, async () => {
      isAskedAgain = false
      await serve()
      isServing = false
      if (isAskedAgain) serveSoon()
    })
  }

  function takeFree(use: EndpointUse): Slot | null {
    if (roomOf(use) === 0) return null
    const held: Held = { use, origin: originKey(use.owner), set: 'fast', length: 0, isFree: false }
    add(held, 1)
    const cancel = after(fastForMs, () => {
      trustLess(use)
      moveAside(held)
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
        if (delivered === true) trustMore(use)
        if (delivered === false) trustLess(use)
        if (held.set === 'slow') moveOverdue()
        waits.serve(use)
        serveSoon()
      },
    }
  }

  return {
    tryTake(owner) {
      const slot = takeFree(uses.of(owner))
      if (slot === null && isOpen) wait(owner)
      return slot
    },
    async take(owner) {
      if (!isOpen || waiting.has(owner.endpointId)) return null
      const use = uses.of(owner)
      const slot = waits.isEmpty(use) ? takeFree(use) : null
      if (slot !== null) return slot
      if (waits.isAllowed(use)) return waits.add(use)
      wait(owner)
      return null
    },
    wait,
    room: (owner) => roomOf(uses.of(owner)),
    waiting: () => [...waiting.values()],
    isWaiting: (endpointId) => waiting.has(endpointId),
    served: (endpointId) => void waiting.delete(endpointId),
    onRoom: (act) => void (serve = act),
    serveWaiting: serveSoon,
    inFlight: () => fast.all() + slow.all(),
    slowInFlight: slow.all,
    open: () => void (isOpen = true),
    close() {
      isOpen = false
      waits.close()
    },
    isOpen: () => isOpen,
    backOff(owner) {
      const use = uses.of(owner)
      const now = elapsedMs()
      use.backAt = Math.max(now + backAfterMs, use.backAt + backEveryMs)
      return use.backAt - now
    },
  }
}

const originKey = ({ businessId, origin }: SlotOwner): string => `${businessId} ${origin}`
