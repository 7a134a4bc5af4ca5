import type { Endpoint } from '../endpoints/endpoint.ts'
import type { Attempt } from '../sender/send.ts'
import {
  type Asker,
  type Flowing,
  isSlow,
  mayGo,
  mostFlowing,
  newFlowing,
  note,
  oldestStart,
  reserve,
  slowMs,
} from './flowing.ts'

/** What of an endpoint the flow must know. */
type Receiver = Pick<Endpoint, '_id' | 'health'>

/**
 * How many attempts each receiver may have in flight in this process (docs/architecture.md, "Isolation"). Kept in memory, for
 * receivers at work.
 */
export interface Flow {
  /** Whether it took over 1 s lately. */
  isSlow(receiver: Receiver): boolean
  /** Asks for a place; may wait up to a second for one. Otherwise when to ask again, or `slow`: in the lane of the slow. */
  enter(receiver: Receiver, asker: Asker): Promise<Place | { againInMs: number } | 'slow'>
}

/** A place in flight: for one attempt, and given back when the receiver has answered. */
export interface Place {
  /** Whether there was a wait for it: what was read before may be old. */
  waited: boolean
  /** Makes the attempt, and learns from how long it took and how it ended. */
  attempt(send: () => Promise<Attempt>): Promise<Attempt>
  /** Gives the place back when there is no attempt to make; after one it does nothing. */
  leave(): void
}

/** A clock that only goes forward, and what is to be done by it. */
export interface FlowClock {
  elapsedMs(): number
  after(ms: number, act: () => void): void
}

/** A receiver without work is forgotten after this; MongoDB remembers how it did. */
const forgetAfterMs = 10_000
/** Nobody waits here for longer: BullMQ believes in a job for 8 s, and a stop waits for all of them. */
const longestWaitMs = 1000
/** Of all receivers together: half of a process, in which nothing happens meanwhile. */
const mostWaiting = 100
/** Who finds no room to wait in goes round by Redis, as soon as that is worth its price. */
const roundMs = 100

interface Waiting extends Asker {
  since: number
  resolve(answer: Place | { againInMs: number } | 'slow'): void
}

/** A receiver at work. */
interface Line extends Flowing {
  /** In the order in which they came, which is the one in which they end. */
  waiting: Waiting[]
  isWatched: boolean
  seenAt: number
}

export function createFlow({ elapsedMs, after }: FlowClock): Flow {
  const lines = new Map<string, Line>()
  let tidiedAt = elapsedMs()
  let waitingInAll = 0

  function obtain({ _id, health }: Receiver): Line {
    const now = elapsedMs()
    if (now - tidiedAt > forgetAfterMs) tidy(now)
    const line = lines.get(_id) ?? { ...newFlowing(health), waiting: [], isWatched: false, seenAt: now }
    line.seenAt = now
    lines.set(_id, line)
    return line
  }

  function tidy(now: number): void {
    tidiedAt = now
    for (const [id, { places, waiting, turnsUntil, seenAt }] of lines)
      if (places + waiting.length === 0 && Math.max(turnsUntil, seenAt + forgetAfterMs) < now)
        lines.delete(id)
  }

  /** What an asker is told now; null: nothing yet. */
  function tell(line: Line, asker: Asker, since: number | null) {
    const now = elapsedMs()
    const told = mayGo(line, asker, now)
    if (told === 'go') return take(line, since !== null)
    if (told === 'slow') return told
    if (told === 'later') return { againInMs: reserve(line, now) }
    return since !== null && now - since >= longestWaitMs ? { againInMs: roundMs } : null
  }

  function take(line: Line, waited: boolean): Place {
    const takenAt = elapsedMs()
    let isTaken = true
    line.places += 1

    function leave(): void {
      if (!isTaken) return
      isTaken = false
      line.places -= 1
      serve(line)
    }
    return {
      waited,
      leave,
      async attempt(send) {
        const open = { startedAt: elapsedMs() }
        line.open.add(open)
        const attempt = await send().finally(() => line.open.delete(open))
        note(line, attempt, elapsedMs() - takenAt)
        leave()
        return attempt
      },
    }
  }

  /** Tells those who wait what they may do, the first one first, as far as that is known now. */
  function serve(line: Line): void {
    for (let [first] = line.waiting; first !== undefined; [first] = line.waiting) {
      const told = tell(line, first, first.since)
      if (told === null) return watch(line, first)
      line.waiting.shift()
      waitingInAll -= 1
      first.resolve(told)
    }
  }

  /** Nobody tells when a wait is over or an attempt becomes slow, so that is looked for when it would be. */
  function watch(line: Line, first: Waiting): void {
    if (line.isWatched) return
    line.isWatched = true
    const slowAt = (oldestStart(line) ?? first.since) + slowMs
    const at = Math.min(first.since + longestWaitMs, slowAt + 1)
    after(Math.max(1, at - elapsedMs()), () => {
      line.isWatched = false
      serve(line)
    })
  }

  return {
    isSlow: (receiver) => isSlow(obtain(receiver), elapsedMs()),
    async enter(receiver, asker) {
      const line = obtain(receiver)
      serve(line)
      const told = line.waiting.length > 0 ? null : tell(line, asker, null)
      if (told !== null) return told
      const hasRoom = line.places + line.waiting.length < mostFlowing && waitingInAll < mostWaiting
      if (!hasRoom) return { againInMs: roundMs }
      return new Promise((resolve) => {
        const { lane, hasWaited } = asker
        line.waiting.push({ lane, hasWaited, since: elapsedMs(), resolve })
        waitingInAll += 1
        serve(line)
      })
    },
  }
}
