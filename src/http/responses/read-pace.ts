import { type Refusal, refuse, unavailable } from '../../errors.ts'
import { withTimeout } from '../../process/timeout.ts'

/**
 * Paces the reads, refunds and replayed responses of businesses that have large documents. Pacing is needed because
 * reading and building 1 MB takes 10 ms, during which the process serves no other request. A business without large
 * documents is never delayed.
 */
export type ReadPace = ReturnType<typeof createReadPace>

/** Responses above this size are large. A page of 100 ordinary items is smaller. */
const largeBytes = 256 * 1024
/** How many bytes of large responses one business may request per second. */
export const bytesPerSecond = 16 * 1024 * 1024
/** How long a business's reads run one at a time after the business's last large response. */
const carefulMs = 600_000
/**
 * How long a read waits before it is rejected. Even the largest page delays the next read by less than this, so
 * sequential reads are never rejected.
 */
const maxWaitMs = 2_000
const maxWaiting = 100

/** The queue of reads for a business that recently had a large response. */
interface ReadQueue {
  running: boolean
  /** The earliest time at which the next read may start. */
  readyAtMs: number
  waiting: Set<() => void>
  timer: NodeJS.Timeout | null
}

/** Creates the read pace of one process. `elapsedMs` must be a monotonic clock. */
export function createReadPace(elapsedMs: () => number) {
  const queues = new Map<string, ReadQueue>()

  function note(businessId: string, bytes: number): void {
    const known = queues.get(businessId)
    if (known === undefined && bytes <= largeBytes) return
    const now = elapsedMs()
    const queue = known ?? { running: false, readyAtMs: now, waiting: new Set(), timer: null }
    queues.set(businessId, queue)
    if (bytes > largeBytes) queue.readyAtMs = Math.max(now, queue.readyAtMs) + (bytes / bytesPerSecond) * 1000
    advance(businessId, queue)
  }

  /** Starts the business's next read, or sets a timer for it. Deletes a queue that has been idle for `carefulMs`. */
  function advance(businessId: string, queue: ReadQueue): void {
    if (queue.timer !== null) clearTimeout(queue.timer)
    queue.timer = null
    if (queue.running) return
    const [next] = queue.waiting
    const restMs = queue.readyAtMs - elapsedMs()
    if (next === undefined && restMs <= -carefulMs) queues.delete(businessId)
    else if (next === undefined || restMs > 0)
      queue.timer = setTimeout(
        () => advance(businessId, queue),
        next === undefined ? restMs + carefulMs : restMs,
      ).unref()
    else {
      queue.waiting.delete(next)
      queue.running = true
      next()
    }
  }

  async function wait(businessId: string, queue: ReadQueue): Promise<void> {
    if (queue.waiting.size >= maxWaiting) throw tooManyLarge()
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    queue.waiting.add(begin)
    advance(businessId, queue)
    await withTimeout(begun, maxWaitMs, () => {
      queue.waiting.delete(begin)
      // If this read is only waiting for an earlier read to end, the business is not at fault.
      throw queue.running && queue.readyAtMs <= elapsedMs() ? unavailable() : tooManyLarge()
    })
  }

  return {
    /**
     * Waits until a read may start. Resolves to a function that the caller must call with the response's size once the
     * response has been built. If the read cannot start within `maxWaitMs`, throws RATE_LIMITED, or SERVICE_UNAVAILABLE
     * if the read is only waiting for an earlier read to end. Throws RATE_LIMITED immediately if `maxWaiting` of the
     * business's reads are already waiting.
     */
    async take(businessId: string): Promise<(bytes: number) => void> {
      const queue = queues.get(businessId)
      if (queue === undefined) return (bytes) => note(businessId, bytes)
      await wait(businessId, queue)
      return (bytes) => {
        queue.running = false
        note(businessId, bytes)
      }
    },
    /**
     * Waits until work on a document of this size may start. The work is charged as `times` reads of the document.
     * Throws the same errors as `take`. Work on a small document never waits.
     */
    async pass(businessId: string, bytes: number, times = 1): Promise<void> {
      if (bytes <= largeBytes) return
      const queue = queues.get(businessId)
      if (queue !== undefined) {
        await wait(businessId, queue)
        queue.running = false
      }
      // If there was no queue, this function has not awaited anything yet, so any work that starts after this call will
      // find the queue that `note` creates.
      note(businessId, bytes * times)
    },
  }
}

const tooManyLarge = (): Refusal =>
  refuse('RATE_LIMITED', {
    message:
      'Your business requested too many large responses in a short time. Wait, or request fewer items with `limit`.',
    details: { scope: 'responses', limit: bytesPerSecond, windowSeconds: 1 },
    retryAfterSeconds: 1,
  })
