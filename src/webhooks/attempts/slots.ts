import type { Endpoint } from '../endpoints/endpoint.ts'

/**
 * Slots for the attempts of one process (docs/architecture.md, "Isolation"). An attempt needs one slot, which counts for its business, for its
 * business and origin, and for its endpoint. After `fastForMs` it moves to a second, bounded set, so that endpoints that hang do not keep other
 * attempts from beginning. No business ever holds more slots than remain free.
 */
export interface Slots {
  /** Takes a slot. If there is none, returns null, and the endpoint waits until `served`. */
  tryTake(owner: SlotOwner): Slot | null
  /**
   * As `tryTake`, but waits for a slot of an endpoint that gives its slots back quickly: what waits here costs no job and no second read. Returns
   * null at once for an endpoint whose deliveries wait in MongoDB already.
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

/** The endpoint of an attempt, and what its slot counts for. `origin` is its host and port. */
export interface SlotOwner extends Pick<Endpoint, 'businessId' | 'health'> {
  endpointId: string
  origin: string
}

export interface Slot {
  /** Counts the bytes of the body. Returns false, and counts nothing, if those of the business or of the process are used up. */
  weigh(bytes: number): boolean
  /** Gives the slot back. `delivered`: how the attempt went; null if there was none. */
  free(delivered: boolean | null): void
}

export interface SlotClock {
  elapsedMs(): number
  /** Calls back after `ms`, unless the returned function is called before. */
  after(ms: number, act: () => unknown): () => void
}

/** Up to 5 s is a good response time (docs/webhooks.md). */
export const fastForMs = 5_000
/** Per process: 1 000 hanging attempts take about 40 MB (measured). */
const mostFast = 1_000
/** A quarter for one business, a tenth for one endpoint, and for all endpoints of a business at one origin. */
const mostFastOfBusiness = 250
const mostFastOfEndpoint = 100
/** With a time-out of 30 s, 100 slow slots begin three attempts a second. */
const mostSlow = 400
const mostSlowOfBusiness = 100
/** Sockets that the attempts of a process may use in all. */
export const mostAttempts = mostFast + mostSlow

/** An endpoint that nothing is known of, and the least that a failing one keeps. */
const fewest = 2
/** An endpoint whose last attempt succeeded. Each success adds one, up to `mostFastOfEndpoint`. */
const trusted = 50

/** Bytes of the bodies in flight. A body has up to 256 KB; most have 600 bytes. */
const mostBytes = 48_000_000
const mostBytesOfBusiness = 12_000_000

/** How long `take` waits. An endpoint for which that was too short gets no such wait for some time: its attempts hang, or it gets more than it takes. */
const longestTakeMs = 1_000
const noTakeForMs = 5_000
/** Waits of `take`: of one endpoint, and in all. */
const mostTakesOfEndpoint = 500
const mostTakes = 4_000

/** How soon those that wait are served after a slot became free: together, because each look costs a read. */
const serveAfterMs = 10
/**
 * A delivery without a slot needs no job: the process attempts it as soon as there is one. The job shows that it waits, and wakes other
 * processes. So it comes back seldom, and those of one endpoint one by one.
 */
const backAfterMs = 5_000
const backEveryMs = 20

/** An endpoint without attempts is forgotten after this. MongoDB keeps how it did. */
const forgetAfterMs = 60_000

/** What a process knows of one endpoint. */
interface Line {
  owner: SlotOwner
  fast: number
  slow: number
  /** How many fast slots it may hold. */
  window: number
  usedAt: number
  /** When the last job that found no slot comes back. */
  backAt: number
  /** The bytes of the body that last found no budget; 0 after one that did. */
  refusedBytes: number
  /** Waits of `take`, the oldest first. */
  takes: Take[]
  /** Until then `take` does not wait. */
  noTakeUntil: number
}

interface Take {
  since: number
  resolve(slot: Slot | null): void
}

interface Held {
  line: Line
  origin: string
  set: 'fast' | 'slow'
  bytes: number
  isFree: boolean
}

export function createSlots({ elapsedMs, after }: SlotClock): Slots {
  const lines = new Map<string, Line>()
  const waiting = new Map<string, SlotOwner>()
  const fast = createCounts()
  const slow = createCounts()
  const bytes = createCounts()
  /** By business: attempts open for longer than `fastForMs` that still count as fast. */
  const overdue = new Map<string, Set<Held>>()
  /** Lines with waits of `take`. */
  const taking = new Set<Line>()
  let takesInAll = 0
  let isExpiring = false
  let serve = async (): Promise<void> => undefined
  let isServing = false
  let isAskedAgain = false
  let isOpen = false
  let tidiedAt = elapsedMs()

  function lineOf(owner: SlotOwner): Line {
    const now = elapsedMs()
    if (now - tidiedAt > forgetAfterMs) tidy(now)
    let line = lines.get(owner.endpointId)
    if (line === undefined) {
      line = {
        owner,
        fast: 0,
        slow: 0,
        window: firstWindow(owner),
        usedAt: now,
        backAt: 0,
        refusedBytes: 0,
        takes: [],
        noTakeUntil: 0,
      }
      lines.set(owner.endpointId, line)
    }
    // It may have another URL now.
    line.owner = owner
    line.usedAt = now
    return line
  }

  function tidy(now: number): void {
    tidiedAt = now
    for (const [id, line] of lines)
      if (line.fast + line.slow === 0 && line.usedAt + forgetAfterMs < now) lines.delete(id)
  }

  function roomOf(line: Line): number {
    if (!isOpen) return 0
    const { businessId } = line.owner
    const left = mostFast - fast.all()
    const ofBusiness = fast.of(businessId)
    return Math.max(
      0,
      Math.min(
        left - ofBusiness,
        mostFastOfBusiness - ofBusiness,
        mostFastOfEndpoint - fast.of(originKey(line.owner)),
        line.window - line.fast,
        bodiesLeft(line),
      ),
    )
  }

  function isTooMuch(businessId: string, size: number): boolean {
    const mine = bytes.of(businessId)
    return mine > 0 && (mine + size > mostBytesOfBusiness || bytes.all() + size > mostBytes)
  }

  /** How many bodies like the one that was refused there is budget for. Reading more of them would be in vain. */
  function bodiesLeft({ owner: { businessId }, refusedBytes }: Line): number {
    if (refusedBytes === 0) return mostFastOfEndpoint
    if (isTooMuch(businessId, refusedBytes)) return 0
    const left = Math.min(mostBytesOfBusiness - bytes.of(businessId), mostBytes - bytes.all())
    return Math.max(1, Math.floor(left / refusedBytes))
  }

  function add(held: Held, count: 1 | -1): void {
    const { line, origin, set } = held
    line[set] += count
    if (set === 'slow') return slow.add(line.owner.businessId, count)
    fast.add(line.owner.businessId, count)
    fast.addPart(origin, count)
  }

  /** Frees the fast slot of an attempt that is open for long. If there is no slow one for it, it moves when there is. */
  function moveAside(held: Held): void {
    const { businessId } = held.line.owner
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
    serveTakes(held.line)
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
    const { businessId } = held.line.owner
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

  function take(line: Line): Slot {
    const held: Held = { line, origin: originKey(line.owner), set: 'fast', bytes: 0, isFree: false }
    add(held, 1)
    const cancel = after(fastForMs, () => {
      narrow(line)
      moveAside(held)
    })
    const { businessId } = line.owner
    return {
      weigh(size) {
        const isRefused = isTooMuch(businessId, size)
        line.refusedBytes = isRefused ? size : 0
        if (isRefused) return false
        bytes.add(businessId, size)
        held.bytes += size
        return true
      },
      free(delivered) {
        if (held.isFree) return
        held.isFree = true
        cancel()
        leaveOverdue(held)
        add(held, -1)
        if (held.bytes > 0) bytes.add(businessId, -held.bytes)
        if (delivered === true) widen(line)
        if (delivered === false) narrow(line)
        if (held.set === 'slow') moveOverdue()
        serveTakes(line)
        serveSoon()
      },
    }
  }

  /** Gives free slots to waits of `take`: those of the endpoint that gave one back first, then of the others, which may have waited for any slot. */
  function serveTakes(first: Line): void {
    if (taking.size === 0) return
    giveSlots(first)
    if (taking.size > 0 && isTight(first)) for (const line of taking) giveSlots(line)
  }

  /** Whether a limit that endpoints share may be what others wait for. */
  const isTight = ({ owner: { businessId } }: Line): boolean =>
    fast.all() + mostFastOfBusiness >= mostFast ||
    fast.of(businessId) + mostFastOfEndpoint >= mostFastOfBusiness

  function giveSlots(line: Line): void {
    while (line.takes.length > 0 && roomOf(line) > 0) endTake(line, take(line))
  }

  function endTake(line: Line, slot: Slot | null): void {
    takesInAll -= 1
    const next = line.takes.shift()
    if (line.takes.length === 0) taking.delete(line)
    next?.resolve(slot)
  }

  function expireSoon(): void {
    if (isExpiring || taking.size === 0) return
    isExpiring = true
    after(longestTakeMs / 4, () => {
      isExpiring = false
      const now = elapsedMs()
      for (const line of taking)
        if (now - (line.takes[0]?.since ?? now) >= longestTakeMs) {
          line.noTakeUntil = now + noTakeForMs
          wait(line.owner)
          while (line.takes.length > 0) endTake(line, null)
        }
      expireSoon()
    })
  }

  const wait = (owner: SlotOwner): void => void waiting.set(owner.endpointId, owner)

  return {
    tryTake(owner) {
      const line = lineOf(owner)
      if (roomOf(line) > 0) return take(line)
      if (isOpen) wait(owner)
      return null
    },
    async take(owner) {
      if (!isOpen || waiting.has(owner.endpointId)) return null
      const line = lineOf(owner)
      if (line.takes.length === 0 && roomOf(line) > 0) return take(line)
      const now = elapsedMs()
      if (now < line.noTakeUntil || line.takes.length >= mostTakesOfEndpoint || takesInAll >= mostTakes) {
        wait(owner)
        return null
      }
      return new Promise((resolve) => {
        takesInAll += 1
        taking.add(line)
        line.takes.push({ since: now, resolve })
        expireSoon()
      })
    },
    wait,
    room: (owner) => roomOf(lineOf(owner)),
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
      for (const line of taking) while (line.takes.length > 0) endTake(line, null)
    },
    isOpen: () => isOpen,
    backOff(owner) {
      const line = lineOf(owner)
      const now = elapsedMs()
      line.backAt = Math.max(now + backAfterMs, line.backAt + backEveryMs)
      return line.backAt - now
    },
  }
}

const originKey = ({ businessId, origin }: SlotOwner): string => `${businessId} ${origin}`

const firstWindow = ({ health: { failuresInRow, lastSuccessAt } }: SlotOwner): number =>
  failuresInRow > 0 || lastSuccessAt === null ? fewest : trusted

/** After a failure, and when an attempt is open for long. An endpoint that responds late, but well, keeps its window. */
const narrow = (line: Line): void => void (line.window = Math.max(fewest, line.window - 1))

const widen = (line: Line): void => void (line.window = Math.min(mostFastOfEndpoint, line.window + 1))

/** Counts by owner and in all. A part of an owner is counted beside it, not in all. */
function createCounts() {
  const counts = new Map<string, number>()
  let all = 0
  const addPart = (key: string, count: number): void => {
    const sum = (counts.get(key) ?? 0) + count
    if (sum === 0) counts.delete(key)
    else counts.set(key, sum)
  }
  return {
    all: () => all,
    of: (key: string): number => counts.get(key) ?? 0,
    addPart,
    add(owner: string, count: number): void {
      all += count
      addPart(owner, count)
    },
  }
}
