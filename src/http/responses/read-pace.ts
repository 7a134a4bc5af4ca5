import { type Refusal, refuse, unavailable } from '../../errors.ts'
import { withTimeout } from '../../process/timeout.ts'

/**
 * Paces the reads, refunds and repeated responses of a business with large documents: reading and building 1 MB takes 10 ms, during which
 * the process serves no other request. A business without large documents is never delayed.
 */
export interface ReadPace {
  /**
   * Waits for the turn of a read. Resolves to a function to call with the size of the response once it is built. If the turn does not
   * come within `longestWaitMs`, throws RATE_LIMITED, or SERVICE_UNAVAILABLE if the read before it takes that long. Throws RATE_LIMITED if
   * `maxWaiting` reads of the business already wait.
   */
  take(businessId: string): Promise<(bytes: number) => void>
  /**
   * Waits until work on a document of this size may begin. The work counts as `times` reads of the document. Throws as `take` does. Work on
   * a small document never waits.
   */
  pass(businessId: string, bytes: number, times?: number): Promise<void>
}

/** A page of 100 ordinary items is smaller. */
const largeBytes = 256 * 1024
/** The large responses of one business in a second. */
export const bytesPerSecond = 16 * 1024 * 1024
/** After its last large response, the reads of a business run one at a time for so long. */
const carefulMs = 600_000
/** Longer than the largest page delays the next one, so that sequential reads are never refused. */
const longestWaitMs = 2_000
const maxWaiting = 100

/** A business with large responses. */
interface Line {
  running: boolean
  /** When the next read may begin. */
  readyAtMs: number
  waiting: Set<() => void>
  timer: NodeJS.Timeout | null
}

/** `elapsedMs` is a monotonic clock. */
export function createReadPace(elapsedMs: () => number): ReadPace {
  const lines = new Map<string, Line>()

  function note(businessId: string, bytes: number): void {
    const known = lines.get(businessId)
    if (known === undefined && bytes <= largeBytes) return
    const now = elapsedMs()
    const line = known ?? { running: false, readyAtMs: now, waiting: new Set(), timer: null }
    lines.set(businessId, line)
    if (bytes > largeBytes) line.readyAtMs = Math.max(now, line.readyAtMs) + (bytes / bytesPerSecond) * 1000
    advance(businessId, line)
  }

  /** Begins the next read of a line, or sets a timer for it. An idle line is forgotten after `carefulMs`. */
  function advance(businessId: string, line: Line): void {
    if (line.timer !== null) clearTimeout(line.timer)
    line.timer = null
    if (line.running) return
    const [next] = line.waiting
    const restMs = line.readyAtMs - elapsedMs()
    if (next === undefined && restMs <= -carefulMs) lines.delete(businessId)
    else if (next === undefined || restMs > 0)
      line.timer = setTimeout(
        () => advance(businessId, line),
        next === undefined ? restMs + carefulMs : restMs,
      ).unref()
    else {
      line.waiting.delete(next)
      line.running = true
      next()
    }
  }

  async function wait(businessId: string, line: Line): Promise<void> {
    if (line.waiting.size >= maxWaiting) throw tooManyLarge()
    let begin = (): void => undefined
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    line.waiting.add(begin)
    advance(businessId, line)
    await withTimeout(begun, longestWaitMs, () => {
      line.waiting.delete(begin)
      // One read that takes this long is not the fault of the business.
      throw line.running && line.readyAtMs <= elapsedMs() ? unavailable() : tooManyLarge()
    })
  }

  return {
    async take(businessId) {
      const line = lines.get(businessId)
      if (line === undefined) return (bytes) => note(businessId, bytes)
      await wait(businessId, line)
      return (bytes) => {
        line.running = false
        note(businessId, bytes)
      }
    },
    async pass(businessId, bytes, times = 1) {
      if (bytes <= largeBytes) return
      const line = lines.get(businessId)
      if (line !== undefined) {
        await wait(businessId, line)
        line.running = false
      }
      // If there was no line, nothing has been awaited so far: work that begins in the same moment already finds the new line.
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
