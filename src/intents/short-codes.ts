import { type Refusal, refuse, unavailable } from '../errors.ts'
import { type Batcher, noDeadline } from '../mongo/batching/batcher.ts'
import type { Insertion } from '../mongo/batching/insert-batcher.ts'
import type { Collection } from '../mongo/collection.ts'
import { newShortCode } from '../security/ids.ts'

/** A short code that has been reserved. It is kept forever, even if its intent is removed or was never created. */
export interface ShortCode {
  _id: string
}

/**
 * All short codes that have ever been reserved. The clean-up removes old test intents, but an old link to such an
 * intent must never open a stranger's payment. Therefore no document is ever removed from this collection.
 */
export const shortCodes: Collection = { name: 'shortcodes', fields: { _id: String }, indexes: [] }

/** The number of different short codes: 6 characters of 32 each. */
export const allShortCodes = 32 ** 6

/**
 * The number of codes that the first write of a process reserves. Each further write reserves twice as many, up to the
 * most. In the long run, each new intent thus costs only 1/256 of an additional write. A process that ends loses the
 * codes that it has reserved and not used, so a restart costs at most one in 2.8 million of all codes.
 */
const [firstBatch, largestBatch] = [32, 256]
/**
 * The number of batches without a free code after which a create gives up. If 99.9 % of all codes are taken, 16 batches
 * contain a free code with a probability of 97 %.
 */
const maxFullBatches = 16

/** The short codes that this process has reserved. */
export interface ShortCodes {
  /**
   * Returns a code that no intent has ever had. Waits for MongoDB only if no reserved code is left. Throws
   * SERVICE_UNAVAILABLE at the deadline, which is a `performance.now()` value, or if no free code was found.
   */
  take(deadlineAt: number): Promise<string>
  /** Takes back a code with which no intent has been stored. Thanks to this, rejected requests use up no codes. */
  giveBack(code: string): void
}

/**
 * Creates the pool of short codes of one process. `insert` must reject if the outcome of the insert is unknown. Such
 * codes are not used, because another process may reserve them too. If the process is killed, its codes are wasted.
 */
export function createShortCodes(insert: Batcher<ShortCode, Insertion>, draw = newShortCode): ShortCodes {
  const reserved: string[] = []
  let running: Promise<number> | null = null
  let batchSize = firstBatch

  /** Draws a batch, and keeps the codes that no process had reserved before. Returns how many these are. */
  async function reserveBatch(): Promise<number> {
    const drawn = Array.from({ length: batchSize }, () => draw())
    const insertions = await Promise.allSettled(drawn.map((_id) => insert({ _id }, noDeadline)))
    const free = drawn.filter((_, at) => {
      const insertion = insertions[at]
      return insertion?.status === 'fulfilled' && insertion.value.inserted
    })
    reserved.push(...free)
    batchSize = Math.min(2 * batchSize, largestBatch)
    const failed = insertions.find(({ status }) => status === 'rejected')
    if (free.length === 0 && failed?.status === 'rejected') throw failed.reason
    return free.length
  }

  /** All concurrent callers share one batch. */
  function reserve(): Promise<number> {
    running ??= reserveBatch().finally(() => {
      running = null
    })
    return running
  }

  return {
    async take(deadlineAt) {
      for (let fullBatches = 0; fullBatches < maxFullBatches; ) {
        if (performance.now() >= deadlineAt) throw unavailable()
        const code = reserved.pop()
        if (code !== undefined) {
          // Thanks to this, creates rarely wait. If it fails, the next create that finds no code reports the error.
          if (reserved.length < batchSize / 4) reserve().catch(() => undefined)
          return code
        }
        if ((await reserve()) === 0) fullBatches += 1
      }
      throw noneFree()
    },
    giveBack: (code) => void reserved.push(code),
  }
}

const noneFree = (): Refusal =>
  refuse('SERVICE_UNAVAILABLE', {
    retryAfterSeconds: 30,
    message: 'No short code is free now. Nothing was created. Repeat the request with the same idempotency key.',
  })
