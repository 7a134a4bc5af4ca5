import type { ListIntentsQuery } from '../../schemas/list-intents.ts'
import type { Caller } from '../businesses/caller.ts'
import type { Deps } from '../deps.ts'
import { longestReadMs, type Page, readPage, readSlice, type Slice } from '../input/pagination.ts'
import { readSpan, type Span, within } from '../input/span.ts'
import { type Countable, testsKeptFrom } from '../lists/counts/countable.ts'
import { readCountedPage } from '../lists/counts/read-page.ts'
import type { Intent } from './intent.ts'
import { alreadyCancelled, isPending, transitions } from './lifecycle.ts'
import { type ListRange, readRange } from './list-range.ts'
import { listPaid, listRefunded } from './list-settled.ts'

export interface IntentSearch extends Slice, Span {
  status: Intent['status'] | null
  /** Null if intents with any reference, or with none, are listed. */
  merchantReference: string | null
  range: ListRange | null
}

/**
 * Parses the query parameters of a list (SPEC 4.3). If `to` is a date without a time, the list includes the whole of
 * that UTC day.
 */
export const parseList = (query: ListIntentsQuery): IntentSearch => ({
  status: query.status ?? null,
  merchantReference: query.merchantReference ?? null,
  range: readRange(query),
  ...readSpan(query),
  ...readSlice(query),
})

/** The fields that a list omits. Together, these fields may be larger than all other fields. */
const unlisted = { outbox: 0, marks: 0, requestKey: 0, attempts: 0, lookUpKeys: 0 } as const

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
  const { status, merchantReference, range } = search
  if (status === null && merchantReference === null && range === null)
    return readCountedPage<Intent>(deps, allIntents(deps, caller), search, search, unlisted)
  const { businessId, sandbox } = caller
  const owner = { businessId, sandbox }
  const created = { ...owner, ...within('createdAt', search) }
  if (range !== null && range.of !== 'amounts') {
    const list = range.of === 'payments' ? listPaid : listRefunded
    return list(deps, { ...created, ...(status === null ? {} : { status }) }, range.span, unlisted, search)
  }
  const inSpan = {
    ...created,
    ...(range === null ? {} : withAmount(range)),
    ...(merchantReference === null ? {} : { merchantReference }),
  }
  const hasOverdue = status === transitions.expire.to && (await hasOverdueIntents(deps, owner, now))
  const where = { ...inSpan, ...(status === null ? {} : readingAs(status, now, hasOverdue)) }
  const times = status === null ? null : cancelTimes(status, now)
  const isWhole = merchantReference === null && range === null && search.from === null && search.to === null
  return readPage<Intent>(
    deps.Intent,
    {
      where,
      index: indexFor(search),
      fields: unlisted,
      // The total can be counted in a single range of the `byCancelsAt` index, because `cancelsAt` is null unless the
      // status is PENDING or CANCELLED. For CANCELLED, this range also contains the overdue PENDING intents.
      ...(isWhole && times !== null ? { counted: { where: { ...owner, ...times }, index: 'byCancelsAt' } } : {}),
    },
    search,
  )
}

/** Returns the name of the index that contains all fields by which the list is filtered. */
function indexFor({ status, merchantReference }: IntentSearch): string {
  if (merchantReference !== null) return 'byMerchantReference'
  return status === null ? 'byTime' : 'byStatus'
}

/** Returns the filter for the intents whose listed amount is in a range. */
const withAmount = ({ min, max }: { min: number | null; max: number | null }): Record<string, object> => ({
  listedAmount: { ...(min === null ? {} : { $gte: min }), ...(max === null ? {} : { $lte: max }) },
})

function allIntents(deps: Pick<Deps, 'Intent' | 'now' | 'config'>, { businessId, sandbox }: Caller): Countable {
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
  if (hasOverdue) return { status: { $in: [status, ...transitions.expire.from] }, ...transitions.expire.guard(now) }
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
