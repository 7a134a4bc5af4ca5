import { createCountsByOwner } from '../../../process/counts-by-owner.ts'
import { createBodies } from './bodies.ts'
import { createEndpointUses, type EndpointUse, trustLess, trustMore } from './endpoint-uses.ts'
import {
  backAfterMs,
  backEveryMs,
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
 * Slots for the attempts of one process (docs/maintainers/architecture.md, "Isolation"). Each attempt needs a fast slot, which counts against its business,
 * its origin within the business, and its endpoint. After `fastForMs` the attempt moves to the slow slots, a second bounded set. So endpoints that
 * hang do not keep other attempts from beginning. A business gets a slot only if it holds fewer than are free, so others always find some.
 */
export interface Slots {
  /** Takes a slot. If there is none, returns null and marks the endpoint as waiting until `served`. */
  takeNow(owner: SlotOwner): Slot | null
  /**
   * Like `takeNow`, but waits up to `maxWaitMs` for a slot. A delivery that waits here costs no job and no second read. Returns null at once
   * if older deliveries of the endpoint wait in MongoDB, or if the business has recently waited in vain.
   */
  take(owner: SlotOwner): Promise<Slot | null>
  /** An upper bound of the attempts at the endpoint that can begin now. */
  room(owner: SlotOwner): number
  /** Marks the endpoint as waiting until `served`. */
  wait(owner: SlotOwner): void
  /** The waiting endpoints, in the order in which they were refused a slot. */
  waiting(): SlotOwner[]
  isWaiting(endpointId: string): boolean
  /** Marks the endpoint as no longer waiting. */
  served(endpointId: string): void
  /** Sets the callback for slots that become free while endpoints wait. It is called soon after, never twice at once, and must not throw. */
  onRoom(act: () => Promise<void>): void
  /** Calls the callback soon if endpoints wait. After an error in the last call, no slot may become free for them, so nothing else would. */
  serveWaiting(): void
  /** Returns in how many milliseconds a job that found no slot must run again. */
  backOff(owner: SlotOwner): number
  /** Attempts in flight, of both sets. */
  inFlight(): number
  /** Attempts in flight that hold slow slots. */
  slowInFlight(): number
  /** There are no slots before `open` and after `close`. */
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
  const fast = createCountsByOwner()
  const slow = createCountsByOwner()
  const bodies = createBodies()
  /** By business: slow attempts that still count as fast, because there was no slow slot. */
  const overdue = new Map<string, Set<Held>>()
  const waits = createWaits(clock, {
    takeFree,
    gaveUp: wait,
    held: fast.all,
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
    const left = maxFast - fast.all()
    const ofBusiness = fast.of(businessId)
    return Math.max(
      0,
      Math.min(
        left - ofBusiness,
        maxFastPerBusiness - ofBusiness,
        maxFastPerEndpoint - fast.of(originKey(use.owner)),
        use.maxFast - use.fast,
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

  /** Moves a slow attempt to a slow slot, or marks it as overdue if there is none. */
  function moveAside(held: Held): void {
    const { businessId } = held.use.owner
    if (hasSlowRoom(businessId)) return moveToSlow(held)
    const late = overdue.get(businessId) ?? new Set()
    overdue.set(businessId, late.add(held))
  }

  const hasSlowRoom = (businessId: string): boolean =>
    slow.of(businessId) < Math.min(maxSlowPerBusiness, maxSlow - slow.all())

  function moveToSlow(held: Held): void {
    leaveOverdue(held)
    add(held, -1)
    held.set = 'slow'
    add(held, 1)
    waits.serve(held.use)
    serveSoon()
  }

  /** Call after a slow slot became free. Tries all businesses, because the share of each depends on how many are free. */
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
    takeNow(owner) {
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
