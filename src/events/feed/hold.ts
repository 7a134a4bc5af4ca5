import type { ReadFeedQuery } from '../../../schemas/list-events.ts'
import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { createFairSlots, type FairSlots, type Free } from '../../process/fair-slots.ts'
import { writePosition } from './position.ts'
import { findLastNumber, hasEvent, parseFeedSearch } from './read.ts'

/** The maximum number of requests that a process holds for one business. */
export const maxHeldPerBusiness = 5
/**
 * The maximum number of requests that a process holds. A held request uses about 30 KB, and each second the process
 * reads the ends of all chains with held requests twice.
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

/**
 * Holds a request for the feed while there is no event for it, if its query requests this. Returns the query with which
 * to read the feed then, or null if the request was not to be held. The feed is then read as usual, so this function
 * only determines when. It returns early if the process holds as many requests as it can, because no business should
 * get an error for the requests of others.
 */
export async function holdForEvent(
  deps: HoldDeps,
  caller: Caller,
  query: ReadFeedQuery,
  { read, signal }: Holding,
): Promise<ReadFeedQuery | null> {
  const search = parseFeedSearch(caller, query)
  if (search.waitMs === 0) return null
  const endsAtMs = performance.now() + search.waitMs
  const owner = { businessId: caller.businessId, sandbox: caller.sandbox }
  const findLast = () => read(() => findLastNumber(deps, owner, {}))
  let last = await findLast()
  const after = search.after === 'latest' ? last : search.after
  let free: Free | null = null
  try {
    for (let seen = after; seen <= last; ) {
      const range = { after: seen, last }
      if (await read(() => hasEvent(deps, owner, search, range))) break
      free ??= takeSlot(deps, caller.businessId)
      if (free === null) break
      if (!(await deps.chainWatch.grows(owner, last, endsAtMs - performance.now(), signal))) break
      seen = last
      last = await findLast()
    }
  } finally {
    free?.()
  }
  return { ...query, after: writePosition(owner, after) }
}

/**
 * Takes a slot. Returns null if the slots of the process are taken. Throws RATE_LIMITED if those of the business are.
 */
function takeSlot({ holdSlots, metrics: { gauges } }: HoldDeps, businessId: string): Free | null {
  const free = holdSlots.takeNow(businessId)
  if (free === null && holdSlots.heldBy(businessId) >= maxHeldPerBusiness)
    throw refuse('RATE_LIMITED', {
      message: `The service holds at most ${maxHeldPerBusiness} requests of a business. Follow the feed with fewer programs.`,
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
