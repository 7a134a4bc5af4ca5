import type { ListIntentsQuery } from '../../schemas/list-intents.ts'
import type { Caller } from '../businesses/caller.ts'
import type { Deps } from '../deps.ts'
import { type Page, readPage, readSlice, type Slice } from '../pagination.ts'
import { readSpan, type Span, within } from '../span.ts'
import { type Countable, testsKeptFrom } from '../tallies/countable.ts'
import { readTalliedPage } from '../tallies/read-page.ts'
import type { Intent } from './intent.ts'
import { moves } from './lifecycle.ts'

export interface IntentSearch extends Slice, Span {
  status: Intent['status'] | null
}

/** Reads the query of a list (SPEC 4.3). A bare `to` date means the end of that UTC day. */
export const parseList = (query: ListIntentsQuery): IntentSearch => ({
  status: query.status ?? null,
  ...readSpan(query),
  ...readSlice(query),
})

/** The caller's intents, newest first; ties by id. Those whose time is up at `now` count as CANCELLED, written down or not. */
export async function listIntents(
  deps: Pick<Deps, 'Intent' | 'tallies' | 'now' | 'config'>,
  caller: Caller,
  search: IntentSearch,
  now: Date,
): Promise<Page<Intent>> {
  const { status } = search
  if (status === null) return readTalliedPage<Intent>(deps, allIntents(deps, caller), search, search, {})
  const { businessId, sandbox } = caller
  const filter = {
    businessId,
    sandbox,
    ...within('createdAt', search),
    ...statusFilter(status, now),
  }
  return readPage<Intent>(deps.Intent, filter, { createdAt: -1, _id: -1 }, search)
}

function allIntents(
  deps: Pick<Deps, 'Intent' | 'now' | 'config'>,
  { businessId, sandbox }: Caller,
): Countable {
  return {
    key: `intents ${businessId} ${sandbox}`,
    collection: deps.Intent.collection,
    index: 'byTime',
    where: { businessId, sandbox },
    keptFrom: sandbox ? testsKeptFrom(deps.now(), deps.config.sandboxRetentionMs) : null,
  }
}

function statusFilter(status: Intent['status'], now: Date): Record<string, unknown> {
  const overdue = { status: { $in: moves.expire.from }, ...moves.expire.guard(now) }
  if (status === moves.expire.to) return { $or: [{ status }, overdue] }
  return (moves.expire.from as readonly string[]).includes(status) ? { status, $nor: [overdue] } : { status }
}
