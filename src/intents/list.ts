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
  /** Null if intents with any reference, or with none, are listed. */
  merchantReference: string | null
}

/**
 * Parses the query parameters of a list (SPEC 4.3). If `to` is a date without a time, the list includes the whole of
 * that UTC day.
 */
export const parseList = (query: ListIntentsQuery): IntentSearch => ({
  status: query.status ?? null,
  merchantReference: query.merchantReference ?? null,
  ...readSpan(query),
  ...readSlice(query),
})

/** The fields that a list omits. Together, these fields may be larger than all other fields. */
const unlisted = { outbox: 0, effects: 0, attempts: 0, lookUpKeys: 0 } as const

/**
 * Returns the caller's intents, newest first. Intents that were created at the same time are sorted by id. Intents that
 * have expired by `now` are listed as CANCELLED.
 */
export async function listIntents(
  deps: Pick<Deps, 'Intent' | 'listCounts' | 'now' | 'config'>,
  caller: Caller,
  search: IntentSearch,
  now: Date,
): Promise<Page<Intent>> {
  const { status, merchantReference } = search
  if (status === null && merchantReference === null)
    return readCountedPage<Intent>(deps, allIntents(deps, caller), search, search, unlisted)
  const { businessId, sandbox } = caller
  const owner = { businessId, sandbox }
  const hasOverdue = status === transitions.expire.to && (await hasOverdueIntents(deps, owner, now))
  const reference = merchantReference === null ? {} : { merchantReference }
  const inSpan = { ...reference, ...owner, ...within('createdAt', search) }
  const where = { ...inSpan, ...(status === null ? {} : readingAs(status, now, hasOverdue)) }
  const times = status === null ? null : cancelTimes(status, now)
  const isWhole = merchantReference === null && search.from === null && search.to === null
  return readPage<Intent>(
    deps.Intent,
    {
      where,
      index: merchantReference === null ? 'byStatus' : 'byMerchantReference',
      fields: unlisted,
      // The total can be counted in a single range of the `byCancelsAt` index, because `cancelsAt` is null unless the
      // status is PENDING or CANCELLED. For CANCELLED, this range also contains the overdue PENDING intents.
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
 * Returns a filter for the intents that are shown as `status` at `now`. `hasOverdue` is true if some PENDING intents
 * are overdue, and are therefore shown as CANCELLED. The filter includes the overdue intents only in that case, because
 * the search for them has to skip all other PENDING intents.
 */
function readingAs(status: Intent['status'], now: Date, hasOverdue: boolean): Record<string, unknown> {
  if (hasOverdue)
    return { status: { $in: [status, ...transitions.expire.from] }, ...transitions.expire.guard(now) }
  return isPending(status) ? { status, ...cancelTimes(status, now) } : { status }
}

/**
 * Returns a filter on `cancelsAt` for the intents that are shown as `status` at `now`, or null if that status does not
 * need such a filter.
 */
function cancelTimes(status: Intent['status'], now: Date): Record<string, unknown> | null {
  if (status === transitions.expire.to) return transitions.expire.guard(now)
  return isPending(status) ? { cancelsAt: { $gt: now } } : null
}

/** Returns whether any of the owner's intents is stored as PENDING but shown as CANCELLED at `now`. */
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
