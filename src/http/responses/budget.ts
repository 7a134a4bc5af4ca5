import type { ServerResponse } from 'node:http'
import { type Refusal, refuse } from '../../errors.ts'
import { createCountsByOwner } from '../../process/counts-by-owner.ts'
import { withTimeout } from '../../process/timeout.ts'

/**
 * The memory reserved for one response. The memory stays reserved until work on the response has ended and the client
 * has either read the response or disconnected.
 */
export type ResponseMemory = ReturnType<typeof createMemory>

/**
 * Limits how many bytes of responses a process holds in memory. This includes responses that are still being built and
 * responses that clients have not fully read yet.
 */
export type ResponseBudget = ReturnType<typeof createResponseBudget>

/**
 * Responses up to this size do not count towards the budget. 10 000 connections hold at most 164 MB of such responses.
 */
export const smallResponseBytes = 16 * 1024

/** The budget for a process that has 1 GB of memory (docs/maintainers/decisions.md). */
export const responseBytes = 256 * 1024 * 1024

/** The fraction of the budget that one business may use. */
export const partOfBusiness = 1 / 4

/** The maximum number of reads that one business may have waiting at a time. Each waiting read uses about 30 KB. */
const maxWaiting = 100
/**
 * How long a read waits for memory. After that, the read may wait up to 8 s for MongoDB, so the client receives a
 * response within 10 s.
 */
const maxWaitMs = 2000
/** A response counts as stalled once its client has read nothing for this long. */
const stalledMs = 1000

/** The memory that a single response uses. */
interface Hold {
  readonly businessId: string
  readonly response: ServerResponse
  bytes: number
  /**
   * The time at which the client last read part of the response, as a `performance.now()` value. Null while the
   * response is being built.
   */
  movedAt: number | null
}

interface Waiting {
  hold: Hold
  /** Lets the read continue once memory has been reserved for it. */
  admit(): void
}

/** Creates a budget of `total` bytes. `report` is called after each change with the number of bytes in use. */
export function createResponseBudget(total: number, report: (bytes: number) => void) {
  const perBusiness = total * partOfBusiness
  const waiting = new Set<Waiting>()
  const holds = createHolds((taken, isLess) => {
    report(taken)
    if (isLess) admitWaiting()
  })

  const isWithinShare = ({ businessId, bytes }: Hold): boolean => holds.takenBy(businessId) + bytes <= perBusiness

  const isFree = (hold: Hold): boolean => isWithinShare(hold) && holds.taken() + hold.bytes <= total

  /**
   * Like `isFree`, but if too little memory is free, first frees memory held by businesses that use more than this
   * business does.
   */
  function isFreeOrFreed(hold: Hold): boolean {
    while (isWithinShare(hold) && !isFree(hold)) {
      const largest = holds.largest()
      if (largest === null || largest.bytes <= holds.takenBy(hold.businessId)) return false
      if (!holds.cutOldest(largest.businessId, stalledMs)) return false
    }
    return isWithinShare(hold)
  }

  /** Admits each business's reads in order of arrival, so that small reads cannot starve a large read. */
  function admitWaiting(): void {
    const blocked = new Set<string>()
    for (const one of waiting) {
      const { businessId } = one.hold
      if (blocked.has(businessId) || !isFree(one.hold)) blocked.add(businessId)
      else {
        waiting.delete(one)
        holds.add(one.hold)
        one.admit()
      }
    }
  }

  const waitingOf = (businessId: string): number =>
    [...waiting].filter(({ hold }) => hold.businessId === businessId).length

  async function wait(hold: Hold): Promise<void> {
    const { promise: admitted, resolve: admit } = Promise.withResolvers<void>()
    const one: Waiting = { hold, admit }
    waiting.add(one)
    await withTimeout(admitted, maxWaitMs, () => {
      waiting.delete(one)
      if (!isFreeOrFreed(hold)) throw tooMany(perBusiness)
      holds.add(hold)
    })
  }

  return {
    perBusiness,
    taken: holds.taken,
    /**
     * Reserves memory for a read before MongoDB is queried. Waits while the business is over its share, and throws
     * RATE_LIMITED after `maxWaitMs`. If the process's budget is used up, closes stalled responses of the business that
     * uses the most memory, so that no business's reads are rejected because of another business.
     */
    async reserve(businessId: string, bytes: number, response: ServerResponse): Promise<ResponseMemory> {
      // The estimate is capped so that even the largest response fits into its business's share.
      const hold: Hold = { businessId, bytes: Math.min(bytes, perBusiness), response, movedAt: null }
      const ahead = waitingOf(businessId)
      if (ahead >= maxWaiting) throw tooMany(perBusiness)
      if (ahead === 0 && isFreeOrFreed(hold)) holds.add(hold)
      else await wait(hold)
      return createMemory(holds, hold)
    },
    /**
     * Counts the response to a write towards its business's share. A write is never rejected here, because it has
     * already taken effect. If the business then exceeds its share, the connection of its oldest response is closed. If
     * that response belongs to a write, a retry with the same idempotency key receives it.
     */
    count(businessId: string, bytes: number, response: ServerResponse): void {
      if (bytes <= smallResponseBytes) return
      const hold: Hold = { businessId, bytes, response, movedAt: null }
      holds.add(hold)
      response.once('close', () => holds.remove(hold))
      while (holds.takenBy(businessId) > perBusiness && holds.cutOldest(businessId, 0));
      hold.movedAt = performance.now()
    },
  }
}

/**
 * Creates the tracker of responses that hold memory. `changed` is called after each change. It receives the number of
 * bytes in use, and whether that number has decreased.
 */
function createHolds(changed: (taken: number, isLess: boolean) => void) {
  const holds = new Set<Hold>()
  const taken = createCountsByOwner()

  function change({ businessId }: Hold, bytes: number): void {
    if (bytes === 0) return
    taken.add(businessId, bytes)
    changed(taken.all(), bytes < 0)
  }

  function resize(hold: Hold, bytes: number): void {
    if (!holds.has(hold)) return
    const more = bytes - hold.bytes
    hold.bytes = bytes
    change(hold, more)
  }

  function remove(hold: Hold): void {
    resize(hold, 0)
    holds.delete(hold)
  }

  return {
    taken: taken.all,
    takenBy: taken.of,
    /** Returns the business that uses the most memory, or null if no memory is in use. */
    largest() {
      let largest: { businessId: string; bytes: number } | null = null
      for (const [businessId, bytes] of taken.entries())
        if (bytes > (largest?.bytes ?? 0)) largest = { businessId, bytes }
      return largest
    },
    add(hold: Hold) {
      holds.add(hold)
      change(hold, hold.bytes)
    },
    resize,
    remove,
    /**
     * Closes the connection of the business's longest-stalled response. Returns false if none has been stalled for so
     * long.
     */
    cutOldest(businessId: string, forMs: number) {
      let latest = performance.now() - forMs
      let oldest: Hold | null = null
      for (const hold of holds)
        if (hold.businessId === businessId && hold.movedAt !== null && hold.movedAt <= latest) {
          latest = hold.movedAt
          oldest = hold
        }
      if (oldest === null) return false
      remove(oldest)
      oldest.response.destroy()
      return true
    },
  }
}

function createMemory(holds: ReturnType<typeof createHolds>, hold: Hold) {
  const { response } = hold
  let users = 0
  const end = (): void => {
    users -= 1
    if (users === 0) holds.remove(hold)
  }
  if (!response.closed) {
    users += 1
    response.once('close', end)
  }
  return {
    /** Replaces the estimate with the actual size of the response, once the response has been built. */
    set(bytes: number): void {
      hold.movedAt = performance.now()
      holds.resize(hold, bytes > smallResponseBytes ? bytes : 0)
    },
    /** Records that the client has read this many bytes. */
    release(bytes: number): void {
      hold.movedAt = performance.now()
      holds.resize(hold, Math.max(0, hold.bytes - bytes))
    },
    /** Runs `work`, and keeps the memory reserved until `work` has ended. */
    async during<T>(work: () => Promise<T>): Promise<T> {
      users += 1
      try {
        return await work()
      } finally {
        end()
      }
    },
  }
}

const tooMany = (limit: number): Refusal =>
  refuse('RATE_LIMITED', {
    message: 'Your business requested too many large responses at once. Read them before you request more.',
    details: { scope: 'responses', limit },
    retryAfterSeconds: 1,
  })
