import type { ListIntentsQuery } from '../../schemas/list-intents.ts'
import type { Caller } from '../businesses/caller.ts'
import type { Deps } from '../deps.ts'
import { longestReadMs, type Page, readPage, readSlice, type Slice } from '../input/pagination.ts'
import { readSpan, type Span, within } from '../input/span.ts'
import { type Countable, testsKeptFrom } from '../lists/counts/countable.ts'
import { readCountedPage } from '../lists/counts/read-page.ts'
import type { Intent } from './intent.ts'
import { alreadyCancelled, isPending, transitions } from './lifecycle.ts'

export interface IntentSearch extends Slice, Span {
  status: Intent['status'] | null
}

/** Parses the query of a list (SPEC 4.3). A `to` date without a time stands for the end of that UTC day. */
export const parseList = (query: ListIntentsQuery): IntentSearch => ({
  status: query.status ?? null,
  ...readSpan(query),
  ...readSlice(query),
})

/** Fields that no list shows. Together they may be larger than all the others. */
const unlisted = { outbox: 0, effects: 0, attempts: 0 } as const

/**
 * Returns the caller's intents, newest first, with ties sorted by id. Treats intents that have expired at `now` as
 * CANCELLED.
 */
export async function listIntents(
  deps: Pick<Deps, 'Intent' | 'listCounts' | 'now' | 'config'>,
  caller: Caller,
  search: IntentSearch,
  now: Date,
): Promise<Page<Intent>> {
  const { status } = search
  if (status === null)
    return readCountedPage<Intent>(deps, allIntents(deps, caller), search, search, unlisted)
  const { businessId, sandbox } = caller
  const owner = { businessId, sandbox }
  const hasOverdue = status === transitions.expire.to && (await hasOverdueIntents(deps, owner, now))
  const inSpan = { ...owner, ...within('createdAt', search) }
  const where = { ...inSpan, ...readingAs(status, now, hasOverdue) }
  const times = cancelTimes(status, now)
  const isWhole = search.from === null && search.to === null
  return readPage<Intent>(
    deps.Intent,
    {
      where,
      index: 'byStatus',
      fields: unlisted,
      // This is a single key range, even with overdue intents, because `cancelsAt` is null for every other status.
      ...(isWhole && times !== null
        ? { counted: { where: { ...owner, ...times }, index: 'byCancelsAt' } }
        : {}),
    },
    search,
  )
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

/**
 * Returns a filter for the intents that read as `status` at `now`. Looks for overdue PENDING intents only if
 * `hasOverdue`, because that search skips over all the others.
 */
function readingAs(status: Intent['status'], now: Date, hasOverdue: boolean): Record<string, unknown> {
  if (hasOverdue)
    return { status: { $in: [status, ...transitions.expire.from] }, ...transitions.expire.guard(now) }
  return isPending(status) ? { status, ...cancelTimes(status, now) } : { status }
}

/**
 * Returns a filter on `cancelsAt` for the intents that read as `status` at `now`, or null if that status needs none.
 */
function cancelTimes(status: Intent['status'], now: Date): Record<string, unknown> | null {
  if (status === transitions.expire.to) return transitions.expire.guard(now)
  return isPending(status) ? { cancelsAt: { $gt: now } } : null
}

/** Whether any of the owner's intents is stored as PENDING but reads as CANCELLED at `now`. */
async function hasOverdueIntents(
  deps: Pick<Deps, 'Intent'>,
  owner: Record<string, unknown>,
  now: Date,
): Promise<boolean> {
  const found = await deps.Intent.findOne(
    { ...owner, cancelsAt: { $gt: alreadyCancelled, $lte: now } },
    { _id: 0, cancelsAt: 1 },
    { hint: 'byCancelsAt', maxTimeMS: longestReadMs },
  ).lean()
  return found !== null
}
