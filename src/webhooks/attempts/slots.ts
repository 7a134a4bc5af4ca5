import type { LimitedResource } from '../../limits/limit.ts'
import { createShare } from '../../limits/share.ts'
import { backgroundRestMs } from '../../mongo/batchers.ts'
import { type ProcessClock, processClock } from '../../platform/process-clock.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'

/** docs/merchants/webhooks.md recommends responding within 5 s. */
export const fastAttemptMs = 5_000

/** The limit on fast attempts per endpoint. Each failure lowers it by one. */
const window = { min: 2, max: 100, ofNew: 20, ofQuick: 50 } as const

/** Limits per process. 1,000 hanging attempts use about 40 MB. */
export const attemptLimits = (windowOf: (endpointId: string) => number) =>
  ({
    fast: {
      what: 'Webhook attempts in progress for up to 5 s, and their sockets',
      total: 1_000,
      parts: [
        { owner: 'business', max: 250 },
        { owner: 'origin', max: window.max },
        { owner: 'endpoint', max: windowOf, range: `${window.min} to ${window.max}` },
      ],
      leavesFree: true,
      gets: 'the delivery waits',
      metric: 'attempts_in_flight',
      maxWaiting: 500,
    },
    // With a timeout of 30 s, 100 slow slots allow four timeouts per second.
    slow: {
      what: 'Webhook attempts in progress for over 5 s',
      total: 400,
      parts: [{ owner: 'business', max: 100 }],
      leavesFree: true,
      gets: 'the attempt keeps its fast slot',
      metric: 'attempts_in_flight',
    },
    // A character takes up to 5 bytes in transit. Most bodies have 600
    // characters; the longest has 230,000, with JSON escapes.
    characters: {
      what: 'Characters in webhook bodies being sent',
      total: 24_000_000,
      parts: [{ owner: 'business', max: 6_000_000 }],
      leavesFree: true,
      gets: 'the delivery waits',
      maxWaiting: 500,
    },
    replays: {
      what: 'Replay attempts in progress',
      parts: [
        { owner: 'business', max: 40 },
        { owner: 'origin', max: 40 },
        { owner: 'endpoint', max: 20 },
      ],
      gets: 'the replay waits',
    },
  }) satisfies Record<string, LimitedResource>

/** 1,000 fast and 400 slow attempts. */
export const maxAttemptsInFlight = 1_400

/** A waiting relay occupies one of 100 job slots that all businesses share. */
const maxWaitMs = 100
/** Meanwhile, more slots may become free, so one read can fill them all. */
const serveAfterMs = 10
const forgetAfterMs = 60_000

/** `origin` is the host and port of the endpoint's URL. */
export interface SlotOwner extends Pick<Endpoint, 'businessId' | 'health'> {
  endpointId: string
  origin: string
}

export interface AttemptSlot {
  /** Returns false if the business has too many characters in progress. */
  count(request: { length: number }): boolean
  /** `delivered` is null if no attempt was made. */
  free(delivered: boolean | null): void
}

/** `characters` is the length of the last body, used to estimate the next. */
interface Use {
  window: number
  characters: number
  usedAt: number
}

export type AttemptSlots = ReturnType<typeof createAttemptSlots>

/**
 * Limits the attempts in progress. After 5 s, an attempt moves to a slow slot,
 * so hanging endpoints delay only their own business.
 */
export function createAttemptSlots({ elapsedMs, after }: ProcessClock = processClock) {
  const uses = new Map<string, Use>()
  const waiting = new Map<string, SlotOwner>()
  const limits = attemptLimits((endpointId) => uses.get(endpointId)?.window ?? window.min)
  const share = createShare(limits, { after, onFree: serveSoon })
  let serve = async (): Promise<number> => 0
  let nextServeAt = 0
  let isServing = false
  let isServeRequested = false
  let isOpen = false
  let tidiedAt = elapsedMs()

  function useOf({ endpointId, health }: SlotOwner): Use {
    const now = elapsedMs()
    if (now - tidiedAt > forgetAfterMs) tidy(now)
    const use = uses.get(endpointId) ?? { window: firstWindow(health), characters: 0, usedAt: now }
    use.usedAt = now
    uses.set(endpointId, use)
    return use
  }

  function tidy(now: number): void {
    tidiedAt = now
    for (const [id, { usedAt }] of uses)
      if (usedAt + forgetAfterMs < now && share.held('fast', id, 2) + share.held('slow', id, 2) === 0)
        uses.delete(id)
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
      nextServeAt = servedAt + backgroundRestMs(await serve())
      isServing = false
      if (isServeRequested) serveSoon()
    })
  }

  const costOf = ({ characters }: Use, isReplay = false) => ({
    fast: 1,
    ...(characters > 0 && { characters }),
    ...(isReplay && { replays: 1 }),
  })

  function slotOf(use: Use, held: NonNullable<ReturnType<typeof share.takeNow>>): AttemptSlot {
    let isFree = false
    let isSlow = false
    const cancel = after(fastAttemptMs, () => {
      isSlow = true
      shrink(use)
      held.moveTo({ fast: 0, slow: 1 })
    })
    return {
      count({ length }) {
        use.characters = length
        return held.resize({ characters: length })
      },
      free(delivered) {
        if (isFree) return
        isFree = true
        cancel()
        if (delivered === true) use.window = Math.min(window.max, use.window + 1)
        if (delivered === false && !isSlow) shrink(use)
        held.free()
      },
    }
  }

  function available(owner: SlotOwner): number {
    if (!isOpen) return 0
    const { characters } = useOf(owner)
    const left = share.left('fast', ownersOf(owner))
    return characters === 0
      ? left
      : Math.min(left, Math.floor(share.left('characters', ownersOf(owner)) / characters))
  }

  const setWaiting = (owner: SlotOwner): void => void waiting.set(owner.endpointId, owner)

  return {
    /** If no slot is free, marks the endpoint as waiting and returns null. */
    takeNow(owner: SlotOwner, isReplay = false): AttemptSlot | null {
      if (!isOpen) return null
      const use = useOf(owner)
      const held = share.takeNow(ownersOf(owner), costOf(use, isReplay))
      if (held === null) setWaiting(owner)
      return held && slotOf(use, held)
    },
    /** Older deliveries waiting in MongoDB come first. */
    async take(owner: SlotOwner): Promise<AttemptSlot | null> {
      if (!isOpen || waiting.has(owner.endpointId)) return null
      const use = useOf(owner)
      const held = await share.take(ownersOf(owner), costOf(use), maxWaitMs)
      if (held === null) setWaiting(owner)
      else if (isOpen) return slotOf(use, held)
      held?.free()
      return null
    },
    setWaiting,
    available,
    /** A replay gets half of the free slots, so new deliveries find one too. */
    availableToReplay: (owner: SlotOwner): number =>
      Math.min(share.left('replays', ownersOf(owner)), Math.floor(available(owner) / 2)),
    waiting: (): SlotOwner[] => [...waiting.values()],
    clearWaiting: (endpointId: string): void => void waiting.delete(endpointId),
    /** `act` must not throw. It returns how many attempts it started. */
    onAvailable: (act: () => Promise<number>): void => void (serve = act),
    /** The poll calls this in case an earlier read failed. */
    serveWaiting: serveSoon,
    used: share.used,
    inFlight: (): number => share.used().fast + share.used().slow,
    open: (): void => void (isOpen = true),
    close: (): void => void (isOpen = false),
    isOpen: (): boolean => isOpen,
  }
}

type SlotEndpoint = Pick<Endpoint, '_id' | 'businessId' | 'url' | 'health'>

export function slotOwnerOf({ _id, businessId, url, health }: SlotEndpoint): SlotOwner {
  return { endpointId: _id, businessId, health, origin: new URL(url).host }
}

const ownersOf = ({ businessId, origin, endpointId }: SlotOwner): string[] => [
  businessId,
  `${businessId} ${origin}`,
  endpointId,
]

const shrink = (use: Use): void => void (use.window = Math.max(window.min, use.window - 1))

function firstWindow({ failuresInRow, lastSuccessAt, lastDurationMs }: Endpoint['health']): number {
  if (failuresInRow > 0) return window.min
  if (lastSuccessAt === null) return window.ofNew
  return (lastDurationMs ?? 0) <= fastAttemptMs ? window.ofQuick : window.min
}
