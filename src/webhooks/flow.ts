import type { DeliveryLane } from '../jobs.ts'
import type { Endpoint } from './endpoint.ts'
import {
  type Flowing,
  hasTurn,
  isHeldBack,
  isSlow,
  mostFlowing,
  type NoPlace,
  newFlowing,
  note,
  noteTurn,
  oldestAgeMs,
  type Place,
  reserve,
} from './flowing.ts'
import type { Attempt } from './sender/send.ts'

/** What of an endpoint the flow must know. */
export type Receiver = Pick<Endpoint, '_id' | 'health'>

/**
 * How many attempts each receiver may have in flight in this process (docs/architecture.md, "Isolation"). It begins with 5, grows
 * by its quick successes as far as they are used, to half of the process, and falls back to 5 when it is slow or fails all the time: so a
 * receiver that stops answering holds few places, and not as many as it was trusted with. Kept in memory, for receivers at work.
 */
export interface Flow {
  /** Whether its deliveries belong in the lane of the slow: it takes over 1 s, or has been failing without an end. */
  isHeldBack(receiver: Receiver): boolean
  /** Whether it took over 1 s lately. */
  isSlow(receiver: Receiver): boolean
  /** Asks for a place; may wait up to a second for one. `hasWaited`: it was put off before, and goes before who comes anew. */
  enter(receiver: Receiver, lane: DeliveryLane, hasWaited: boolean): Promise<Place | NoPlace>
  /** Watches one attempt, and learns from how long it took and how it ended. */
  watch(receiver: Receiver, send: () => Promise<Attempt>): Promise<Attempt>
  /** Reserves the next free turn for one that cannot go now. Answers how long that is to wait, in milliseconds. */
  putOff(receiver: Receiver): number
}

/** A receiver without work is forgotten after this; MongoDB remembers how it did. */
const forgetAfterMs = 10_000

/** `elapsedMs` is a clock that only goes forward. */
export function createFlow(elapsedMs: () => number): Flow {
  const all = new Map<string, Flowing>()
  let tidiedAt = elapsedMs()

  function obtain({ _id, health }: Receiver): Flowing {
    const now = elapsedMs()
    if (now - tidiedAt > forgetAfterMs) tidy(now)
    const flowing = all.get(_id) ?? newFlowing(health)
    flowing.seenAt = now
    all.set(_id, flowing)
    return flowing
  }

  function tidy(now: number): void {
    tidiedAt = now
    for (const [id, { places, turnsUntil, seenAt }] of all)
      if (places === 0 && Math.max(turnsUntil, seenAt + forgetAfterMs) < now) all.delete(id)
  }

  /** What whoever asks is told now; null: wait here. */
  function answer(flowing: Flowing, lane: DeliveryLane, hasWaited: boolean): Place | NoPlace | null {
    const now = elapsedMs()
    if (isHeldBack(flowing, now)) {
      if (lane !== 'webhook-delivery-slow') return 'slow'
      return hasTurn(flowing, hasWaited, now) ? take(flowing, now) : 'later'
    }
    if (flowing.places < flowing.window) return take(flowing, now)
    return flowing.places + flowing.waiting.length < mostFlowing ? null : 'later'
  }

  function take(flowing: Flowing, now: number): Place {
    flowing.places += 1
    return {
      leave() {
        flowing.places -= 1
        noteTurn(flowing, elapsedMs() - now)
        serve(flowing)
      },
    }
  }

  /** Tells those who wait for a place what they may do, as far as that is known now. */
  function serve(flowing: Flowing): void {
    for (let next = flowing.waiting.shift(); next !== undefined; next = flowing.waiting.shift()) {
      const told = answer(flowing, next.lane, next.hasWaited)
      if (told === null) {
        flowing.waiting.unshift(next)
        return lookAgain(flowing)
      }
      next.resolve(told)
    }
  }

  /** Nobody tells when an attempt becomes slow, so that is looked for when the oldest one would be. */
  function lookAgain(flowing: Flowing): void {
    if (flowing.timer !== null) return
    const inMs = Math.max(20, 1000 - oldestAgeMs(flowing, elapsedMs()))
    flowing.timer = setTimeout(() => {
      flowing.timer = null
      serve(flowing)
    }, inMs).unref()
  }

  return {
    isHeldBack: (receiver) => isHeldBack(obtain(receiver), elapsedMs()),
    isSlow: (receiver) => isSlow(obtain(receiver), elapsedMs()),
    async enter(receiver, lane, hasWaited) {
      const flowing = obtain(receiver)
      const told = flowing.waiting.length > 0 ? null : answer(flowing, lane, hasWaited)
      if (told !== null) return told
      return new Promise((resolve) => {
        flowing.waiting.push({ lane, hasWaited, resolve })
        serve(flowing)
      })
    },
    async watch(receiver, send) {
      const flowing = obtain(receiver)
      const open = { startedAt: elapsedMs() }
      flowing.open.add(open)
      const attempt = await send().finally(() => flowing.open.delete(open))
      note(flowing, attempt.durationMs, attempt.outcome === 'delivered')
      return attempt
    },
    putOff: (receiver) => reserve(obtain(receiver), elapsedMs()),
  }
}
