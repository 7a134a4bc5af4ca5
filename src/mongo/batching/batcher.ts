import { unavailable } from '../../errors.ts'
import { withTimeout } from '../../process/timeout.ts'

/**
 * Collects the operations of concurrent callers and sends them to MongoDB in batches. A batcher sends one batch at a
 * time, and operations that arrive meanwhile go into the next one. An operation that arrives alone is sent immediately.
 * `deadlineAt` is the caller's deadline on `performance.now()`. An operation that is not sent by then is dropped, and
 * the batcher throws SERVICE_UNAVAILABLE.
 */
export type Batcher<Item, Outcome> = (item: Item, deadlineAt: number) => Promise<Outcome>

/** The deadline of a worker. No request waits for it, so only the driver's timeouts apply. */
export const noDeadline = Number.POSITIVE_INFINITY

interface Waiting<Item, Outcome> {
  item: Item
  deadlineAt: number
  resolve: (outcome: Outcome) => void
  reject: (error: unknown) => void
}

/**
 * The minimum time between two batches if no request is waiting for their result. Without it, operations that trickle
 * in would each become a batch of their own, and on a busy machine everything else would wait for those batches.
 */
export const backgroundRestMs = 20
/** This many waiting operations are sent without further rest: a larger batch is hardly cheaper per operation. */
const worthABatch = 50

/**
 * Creates a batcher. `send` returns one outcome per item, in order. An Error among them rejects only its own caller.
 * With `restMs`, a batch begins at the earliest this long after the previous one, unless many operations are waiting.
 */
export function createBatcher<Item, Outcome>(
  longestBatch: number,
  send: (items: Item[]) => Promise<(Outcome | Error)[]>,
  restMs = 0,
): Batcher<Item, Outcome> {
  const waiting: Waiting<Item, Outcome>[] = []
  let isDraining = false
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
    isDraining = true
    // One response wakes many callers, which all call again within one iteration of the event loop. Waiting for its end
    // collects them all.
    await new Promise(setImmediate)
    while (waiting.length > 0) {
      const taken = waiting.splice(0, longestBatch)
      const isResting = restMs > 0 && waiting.length < worthABatch
      await Promise.all([flush(taken), isResting && rest()])
    }
    isDraining = false
  }

  async function flush(taken: Waiting<Item, Outcome>[]): Promise<void> {
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
      if (!isDraining) void drain()
      else if (waiting.length >= worthABatch) endRest()
    })
}

/**
 * More than a call to MongoDB may take, so that a batch that hangs does not block the batcher for good. If a batch
 * takes two calls to a failing server, the second may be cut short. Its outcome is then unknown, and the next batch may
 * run in parallel with it.
 */
const flushTimeoutMs = 7000

function settle<Item, Outcome>(one: Waiting<Item, Outcome>, outcome: Outcome | Error): void {
  if (outcome instanceof Error) one.reject(outcome)
  else one.resolve(outcome)
}
