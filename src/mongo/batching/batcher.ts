import { unavailable } from '../../platform/errors.ts'
import { withTimeout } from '../../platform/timeout.ts'

/**
 * Collects the operations of concurrent callers and sends them to MongoDB in batches. A batcher sends one batch at a
 * time. Operations that arrive while a batch is running go into the next batch, and an operation that arrives while
 * none is running is sent immediately. `deadlineAt` is the caller's deadline on the clock of `performance.now()`. An
 * operation that has not been sent by this deadline is dropped, and the batcher throws SERVICE_UNAVAILABLE.
 */
export type Batcher<Item, Outcome> = (item: Item, deadlineAt: number) => Promise<Outcome>

/**
 * The deadline for operations in a worker. No request is waiting for these operations, so only the driver's timeouts
 * apply.
 */
export const noDeadline = Number.POSITIVE_INFINITY

interface Waiting<Item, Outcome> {
  item: Item
  deadlineAt: number
  resolve: (outcome: Outcome) => void
  reject: (error: unknown) => void
}

/**
 * How long a batcher rests from the start of a batch of this many operations until the next one, if no request is
 * waiting for the results. Below 100 operations per second, the next operation hardly waits. Above, the rests soon take
 * 30 ms, and from 1000 per second on, each batch is larger than the one before until they take 60 ms. In measurements,
 * shorter rests made requests slower at 200 events per second, because commands take processor time, and longer ones
 * than 60 ms made the whole system slower.
 */
export const backgroundRest = (operations: number): number =>
  Math.max(Math.min(operations * 10, 30), Math.min(operations, 60))

/**
 * Creates a batcher. `send` must return one outcome per item, in the same order. If an outcome is an Error, only that
 * item's caller is rejected. `restAfter` returns the minimum time from the start of a batch of so many operations to
 * the start of the next one.
 */
export function createBatcher<Item, Outcome>(
  longestBatch: number,
  send: (items: Item[]) => Promise<(Outcome | Error)[]>,
  restAfter = (_operations: number): number => 0,
): Batcher<Item, Outcome> {
  const waiting: Waiting<Item, Outcome>[] = []
  let isDraining = false

  async function drain(): Promise<void> {
    isDraining = true
    // When a batch ends, it wakes many callers, which pass their next operations within the same iteration of the event
    // loop. Waiting until the end of that iteration collects all of these operations in one batch.
    await new Promise(setImmediate)
    while (waiting.length > 0) {
      const taken = waiting.splice(0, longestBatch)
      const restMs = restAfter(taken.length)
      const rest = restMs > 0 && new Promise((resolve) => setTimeout(resolve, restMs))
      await Promise.all([flush(taken), rest])
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
    })
}

/**
 * How long the batcher waits for a batch, so that a batch that hangs does not block the batcher forever. A single call
 * to MongoDB always ends sooner. If a batch makes two calls to a failing server, the batcher may stop waiting during
 * the second call. The outcome of that call is then unknown, and the next batch may run in parallel with the call.
 */
const flushTimeoutMs = 7000

function settle<Item, Outcome>(one: Waiting<Item, Outcome>, outcome: Outcome | Error): void {
  if (outcome instanceof Error) one.reject(outcome)
  else one.resolve(outcome)
}
