import type { ReadFeedQuery } from '../../../schemas/list-events.ts'
import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { createFairSlots, type FairSlots, type Free } from '../../process/fair-slots.ts'
import { writePosition } from './position.ts'
import { type Feed, findLastNumber, hasEvent, parseFeedSearch } from './read.ts'

/** The maximum number of requests that a process holds for one business. */
export const maxHeldPerBusiness = 5
/**
 * The maximum number of requests that a process holds. A held request uses about 30 KB. Twice per second, the process
 * reads the ends of all chains with held requests.
 */
const maxHeld = 1000

/** Creates the slots of held requests. */
export const createHoldSlots = (): FairSlots =>
  createFairSlots((held, taken) => held < maxHeldPerBusiness && taken < maxHeld)

/** `read` runs a read within the request's deadline. `signal` aborts if the client disconnects. */
export interface Holding {
  read<T>(read: () => Promise<T>): Promise<T>
  signal: AbortSignal
}

type HoldDeps = Pick<Deps, 'LoggedEvent' | 'chainWatch' | 'holdSlots' | 'metrics'>

/** The query with which to read the feed now, or the empty response if there is still no event. */
type Held = { query: ReadFeedQuery } | { data: Feed }

/**
 * Holds a request for the feed while there is no event for it. Returns null if the query contains no `wait`. If all
 * slots of the process are taken, returns an empty response immediately, so that no business gets an error because of
 * the requests of others. The session has the same purpose as in `readFeed`.
 */
export async function holdForEvent(
  deps: HoldDeps,
  caller: Caller,
  query: ReadFeedQuery,
  { read, signal }: Holding,
): Promise<Held | null> {
  const search = parseFeedSearch(caller, query)
  if (search.waitMs === 0) return null
  const endsAtMs = performance.now() + search.waitMs
  const owner = { businessId: caller.businessId, sandbox: caller.sandbox }
  const session = await deps.LoggedEvent.db.startSession({ causalConsistency: true })
  const findLast = () => read(() => findLastNumber(deps, owner, { session }))
  let free: Free | null = null
  try {
    let last = await findLast()
    const after = search.after === 'latest' ? last : search.after
    const found = { query: { ...query, after: writePosition(owner, after) } }
    // `readFeed` reports that the log has lost this position.
    if (after > last) return found
    for (let seen = after; ; ) {
      const range = { after: seen, last }
      if (await read(() => hasEvent(deps, owner, search, range, session))) return found
      free ??= takeSlot(deps, caller.businessId)
      const leftMs = endsAtMs - performance.now()
      if (free === null || !(await deps.chainWatch.grows(owner, last, leftMs, signal))) {
        return { data: { items: [], next: writePosition(owner, last), hasMore: false } }
      }
      seen = last
      last = await findLast()
    }
  } finally {
    free?.()
    await session.endSession()
  }
}

/**
 * Takes a slot. Returns null if all slots of the process are taken. Throws RATE_LIMITED if the business has no free
 * slot.
 */
function takeSlot({ holdSlots, metrics: { gauges } }: HoldDeps, businessId: string): Free | null {
  const free = holdSlots.takeNow(businessId)
  if (free === null && holdSlots.heldBy(businessId) >= maxHeldPerBusiness)
    throw refuse('RATE_LIMITED', {
      message: `The service holds at most ${maxHeldPerBusiness} requests per business. Follow the feed with fewer programs.`,
      details: { scope: 'polls', limit: maxHeldPerBusiness },
      retryAfterSeconds: 1,
    })
  if (free === null) return null
  gauges.requestsHeld.set(holdSlots.held())
  return () => {
    free()
    gauges.requestsHeld.set(holdSlots.held())
  }
}
