import type { ReadFeedQuery } from '../../../schemas/list-events.ts'
import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { type Feed, findLastNumber, hasEvent, parseFeedSearch, writePosition } from './read.ts'

/** `read` runs a read within the request's deadline. `signal` aborts if the client disconnects. */
export interface Holding {
  read<T>(read: () => Promise<T>): Promise<T>
  signal: AbortSignal
}

type HoldDeps = Pick<Deps, 'LoggedEvent' | 'chainWatch' | 'capacity'>

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
  let held: ReturnType<typeof takeSlot> = null
  try {
    let last = await findLast()
    const after = search.after === 'latest' ? last : search.after
    const found = { query: { ...query, after: writePosition(owner, after) } }
    // `readFeed` reports that the log has lost this position.
    if (after > last) return found
    for (let seen = after; ; ) {
      const range = { after: seen, last }
      if (await read(() => hasEvent(deps, owner, search, range, session))) return found
      held ??= takeSlot(deps, caller.businessId)
      const leftMs = endsAtMs - performance.now()
      if (held === null || !(await deps.chainWatch.grows(owner, last, leftMs, signal))) {
        return { data: { items: [], next: writePosition(owner, last), hasMore: false } }
      }
      seen = last
      last = await findLast()
    }
  } finally {
    held?.free()
    await session.endSession()
  }
}

/** Returns null if the process is full. Throws RATE_LIMITED if the business holds its part. */
function takeSlot({ capacity }: HoldDeps, businessId: string) {
  const [owners, cost] = [[businessId], { polls: 1 }]
  const held = capacity.takeNow(owners, cost)
  if (held === null && capacity.blockOf(owners, cost)?.level === 0) throw capacity.refusal(owners, cost)
  return held
}
