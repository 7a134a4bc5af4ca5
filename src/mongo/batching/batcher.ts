import { unavailable } from '../../errors.ts'
import { withTimeout } from '../../process/timeout.ts'

/**
 * Calls that wait together travel together. A batcher has at most one trip to MongoDB under way; what arrives
 * meanwhile goes with the next. A lone caller is sent at once.
 * `deadlineAt` is the caller's deadline on `performance.now()`: what is still unsent past it is dropped, with a 503.
 */
export type Batcher<Item, Outcome> = (item: Item, deadlineAt: number) => Promise<Outcome>

/** The deadline of a worker: nobody waits for it, and its trips may take the time the driver gives them. */
export const noDeadline = Number.POSITIVE_INFINITY

interface Waiting<Item, Outcome> {
  item: Item
  deadlineAt: number
  resolve: (outcome: Outcome) => void
  reject: (error: unknown) => void
}

/**
 * How long a batcher rests from trip to trip when nobody waits for what it writes. A steady trickle would else make a trip of each call,
 * and on a busy machine everything else waits for those.
 */
export const backgroundRestMs = 20
/** So many that wait are worth a trip, however short the rest was: more of them make each hardly cheaper. */
const worthATrip = 50

/**
 * Makes a batcher. `send` answers one outcome per item, in order; an Error among them rejects only that caller. With `restMs` no trip begins
 * sooner than that after the one before, unless very many wait.
 */
export function createBatcher<Item, Outcome>(
  longestBatch: number,
  send: (items: Item[]) => Promise<(Outcome | Error)[]>,
  restMs = 0,
): Batcher<Item, Outcome> {
  const waiting: Waiting<Item, Outcome>[] = []
  let hold = false
  let endRest = (): void => undefined

  const rest = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, restMs)
      endRest = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  async function drain(): Promise<void> {
    hold = true
    // One answer wakes many callers, and they all call again within one turn of the event loop: the first must not go alone.
    await new Promise(setImmediate)
    while (waiting.length > 0) {
      const taken = waiting.splice(0, longestBatch)
      const isResting = restMs > 0 && waiting.length < worthATrip
      await Promise.all([sendTogether(taken), isResting && rest()])
    }
    hold = false
  }

  async function sendTogether(taken: Waiting<Item, Outcome>[]): Promise<void> {
    const now = performance.now()
    const inTime: Waiting<Item, Outcome>[] = []
    for (const one of taken)
      if (one.deadlineAt > now) inTime.push(one)
      else one.reject(unavailable())
    if (inTime.length === 0) return
    try {
      const sending = send(inTime.map((one) => one.item))
      const outcomes = await withTimeout(sending, flushTimeoutMs, () => {
        throw unavailable()
      })
      inTime.forEach((one, index) => settle(one, outcomes[index] as Outcome | Error))
    } catch (error) {
      for (const one of inTime) one.reject(error)
    }
  }

  return (item, deadlineAt) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, deadlineAt, resolve, reject })
      if (!hold) void drain()
      else if (waiting.length >= worthATrip) endRest()
    })
}

/**
 * Longer than one call to MongoDB may take: a trip that hangs for whatever reason must not close the batcher for good. One of two
 * calls on a failing server can be cut short; its outcome is then unknown, and the next may run beside it.
 */
const flushTimeoutMs = 7000

function settle<Item, Outcome>(one: Waiting<Item, Outcome>, outcome: Outcome | Error): void {
  if (outcome instanceof Error) one.reject(outcome)
  else one.resolve(outcome)
}
