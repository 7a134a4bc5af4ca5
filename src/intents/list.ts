import type { ListIntentsQuery } from '../../schemas/list-intents.ts'
import type { Caller } from '../businesses/caller.ts'
import type { Deps } from '../deps.ts'
import { longestReadMs, type Page, readPage, readSlice, type Slice } from '../input/pagination.ts'
import { readSpan, type Span, within } from '../input/span.ts'
import { type Countable, testsKeptFrom } from '../lists/counts/countable.ts'
import { readCountedPage } from '../lists/counts/read-page.ts'
import type { Intent } from './intent.ts'
import { alreadyCancelled, isPending, moves } from './lifecycle.ts'

export interface IntentSearch extends Slice, Span {
  status: Intent['status'] | null
}

/** Reads the query of a list (SPEC 4.3). A bare `to` date means the end of that UTC day. */
export const parseList = (query: ListIntentsQuery): IntentSearch => ({
  status: query.status ?? null,
  ...readSpan(query),
  ...readSlice(query),
})

/** Fields that no list shows. Together they may be larger than all other fields. */
const unlisted = { outbox: 0, effects: 0, attempts: 0 } as const

/** The caller's intents, newest first; ties by id. Those whose time is up at `now` count as CANCELLED, written down or not. */
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
  const whose = { businessId, sandbox }
  const isAnyOverdue = status === moves.expire.to && (await hasOverdue(deps, whose, now))
  const inSpan = { ...whose, ...within('createdAt', search) }
  const where = { ...inSpan, ...readingAs(status, now, isAnyOverdue) }
  const times = cancelTimes(status, now)
  const isWhole = search.from === null && search.to === null
  return readPage<Intent>(
    deps.Intent,
    {
      where,
      index: 'byStatus',
      fields: unlisted,
      // One key range, even with overdue intents: `cancelsAt` is null for every other status.
      ...(isWhole && times !== null
        ? { counted: { where: { ...whose, ...times }, index: 'byCancelsAt' } }
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
 * A filter for the intents that read as `status` at `now`. Searches the PENDING intents for overdue ones only if there are any, because
 * that search skips over all the others.
 */
function readingAs(status: Intent['status'], now: Date, isAnyOverdue: boolean): Record<string, unknown> {
  if (isAnyOverdue) return { status: { $in: [status, ...moves.expire.from] }, ...moves.expire.guard(now) }
  return isPending(status) ? { status, ...cancelTimes(status, now) } : { status }
}

/** A filter on `cancelsAt` for the intents that read as `status` at `now`; null for a status that does not depend on it. */
function cancelTimes(status: Intent['status'], now: Date): Record<string, unknown> | null {
  if (status === moves.expire.to) return moves.expire.guard(now)
  return isPending(status) ? { cancelsAt: { $gt: now } } : null
}

/** Whether an intent is stored as PENDING but reads CANCELLED at `now`. */
async function hasOverdue(
  deps: Pick<Deps, 'Intent'>,
  whose: Record<string, unknown>,
  now: Date,
): Promise<boolean> {
  const found = await deps.Intent.findOne(
    { ...whose, cancelsAt: { $gt: alreadyCancelled, $lte: now } },
    { _id: 0, cancelsAt: 1 },
    { hint: 'byCancelsAt', maxTimeMS: longestReadMs },
  ).lean()
  return found !== null
}
