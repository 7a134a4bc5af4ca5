import { Refusal } from '../platform/errors.ts'
import { type ProcessClock, processClock } from '../platform/process-clock.ts'
import { divideLimits, type LimitedResource } from './limit.ts'
import { createShare, type ShareCost, type ShareReservation } from './share.ts'

const mib = 1024 * 1024
export const maxBusinessBytes = 128 * mib
/** A page of 100 of the largest orders needs 50 MiB, and an import 40 MiB. */
export const leastBusinessBytes = 52 * mib
/** Reading and building 1 MB takes 10 ms, so this uses a sixth of a CPU. */
export const readBytesPerSecond = 16 * mib
/** A page of 100 ordinary items is smaller than this. */
const largeBytes = 256 * 1024
const carefulMs = 600_000
/** The request may then wait 8 s for MongoDB. Its total limit is 10 s. */
export const readWaitMs = 2_000

/** These limits assume 1 GB of memory, of which an idle process uses 150 MB. */
export const capacityLimits = (careful: (businessId: string) => number) =>
  ({
    memory: {
      what: 'Memory of request bodies, responses and exports',
      unit: 'bytes',
      total: 512 * mib,
      parts: [{ owner: 'business', max: maxBusinessBytes }],
      leavesFree: true,
      least: leastBusinessBytes,
      gets: 'a read waits, then gets 429 `responses`; a body gets 429 `bodies`; an unread response is closed',
      scope: 'responses',
      message: 'Your business requested too many large responses at once. Read them before you request more.',
    },
    lists: {
      what: 'Concurrent lists, counts and dry runs',
      parts: [{ owner: 'business', max: 2 }],
      gets: 'a wait, then 429 `lists`',
      scope: 'lists',
      message: 'A business can run 2 lists at once. Wait for one to finish.',
    },
    exports: {
      what: 'Concurrent exports',
      parts: [{ owner: 'business', max: 2 }],
      gets: 'a wait, then 429 `lists`',
      scope: 'lists',
      message: 'A business can run 2 exports at once. Wait for one to finish.',
    },
    // Each query may use three of the 16 list connections (src/lists/lists.ts).
    queries: {
      what: 'Concurrent queries for lists, exports and staff pages',
      total: 4,
      parts: [{ owner: 'business, or member of staff', max: 2 }],
      least: 2,
      gets: 'a wait, then 503, or 429 `lists` for one owner',
      scope: 'lists',
      message: 'You can run 2 lists or searches at once. Wait for one to finish.',
    },
    reads: {
      what: 'Concurrent reads, for 10 minutes after a large response',
      parts: [{ owner: 'business', max: careful, range: '1' }],
      gets: 'a wait, then 429 `responses`',
      scope: 'responses',
      message:
        'Your business requested too many large responses in a short time. Wait, or request fewer items with `limit`.',
      limit: readBytesPerSecond,
    },
    polls: {
      what: 'Requests that wait for the event feed',
      total: 1_000,
      parts: [{ owner: 'business', max: 5 }],
      least: 5,
      gets: '429 `polls`, or an empty response if the process is at its limit',
      scope: 'polls',
      message: 'At most 5 requests per business can wait for events. Use fewer programs to follow the feed.',
    },
    tests: {
      what: 'Concurrent endpoint tests',
      total: 200,
      parts: [{ owner: 'business', max: 5 }],
      leavesFree: true,
      least: 5,
      gets: '429 `tests`',
      scope: 'tests',
      message: 'A business can run 5 endpoint tests at once. Wait for one to finish.',
    },
    twins: {
      what: 'Requests that wait for a refund in progress',
      total: 1_000,
      parts: [{ owner: 'business', max: 20 }],
      gets: '409 IDEMPOTENCY_REQUEST_IN_PROGRESS',
    },
    relays: {
      what: 'Documents whose events are being relayed',
      total: 400,
      parts: [{ owner: 'business', max: 200 }],
      leavesFree: true,
      gets: 'a wait of 100 ms, then the next poll relays them',
      maxWaiting: 1_000,
    },
    walletQueries: {
      what: 'Wallet queries in progress',
      total: 50,
      parts: [{ owner: 'business', max: 25 }],
      leavesFree: true,
      gets: 'the query waits for the next poll',
    },
  }) satisfies Record<string, LimitedResource>

export type CapacityName = keyof ReturnType<typeof capacityLimits>
export type CapacityCost = ShareCost<CapacityName>
export type HeldShare = ShareReservation<CapacityName>
export type Capacity = ReturnType<typeof createCapacity>

export function createCapacity({ elapsedMs, after }: ProcessClock = processClock, processes = 1) {
  const careful = new Map<string, number>()
  const maxReads = (businessId: string) => ((careful.get(businessId) ?? 0) > elapsedMs() ? 1 : Infinity)
  const share = createShare(divideLimits(capacityLimits(maxReads), processes), { after })

  function noteLarge(businessId: string): void {
    careful.delete(businessId)
    careful.set(businessId, elapsedMs() + carefulMs)
    for (const [other, endsAt] of careful) {
      if (endsAt > elapsedMs()) return
      careful.delete(other)
    }
  }

  /** After a heavy read, frees slots late to slow down the next request. */
  function endRead(businessId: string, held: HeldShare, read: { bytes: number; tookMs: number }): void {
    const { bytes, tookMs } = read
    const isLarge = bytes > largeBytes
    if (isLarge) noteLarge(businessId)
    giveBackAfter(isLarge ? (bytes / readBytesPerSecond) * 1000 : 0, held, { reads: 0 })
    giveBackAfter(Math.min(200, 3 * (tookMs - 10)), held, { lists: 0, exports: 0 })
  }

  function giveBackAfter(ms: number, held: HeldShare, cost: CapacityCost): void {
    if (ms > 0) after(ms, () => held.resize(cost))
    else held.resize(cost)
  }

  async function wait(owner: string, cost: CapacityCost): Promise<HeldShare> {
    const held = await share.take([owner], cost, readWaitMs)
    if (held === null) throw share.refusal([owner], cost)
    return held
  }

  return {
    ...share,
    wait,
    endRead,
    /** Counts the work as `times` reads of a document of this size. */
    async paceWork(businessId: string, bytes: number, times = 1): Promise<void> {
      if (bytes <= largeBytes) return
      noteLarge(businessId)
      const held = await wait(businessId, { reads: 1 })
      endRead(businessId, held, { bytes: bytes * times, tookMs: 0 })
    },
  }
}

/** A page can hold 100 of the largest orders. */
export const maxPageBytes = 26 * 1024 * 1024

export class PageTooLarge extends Refusal {
  constructor() {
    super('RATE_LIMITED', {
      message: 'This page is too large. Request fewer items with `limit`.',
      details: { scope: 'responses', limit: maxPageBytes },
      retryAfterSeconds: 1,
    })
  }
}
