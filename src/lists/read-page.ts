import { type Span, within } from '../input/span.ts'
import type { Deps } from '../platform/deps.ts'
import type { Checkpoint } from './checkpoint.ts'
import { type Countable, countCreated } from './counts.ts'
import { longestReadMs, maxSkip, type Page, pageOf, readWithinPage, type Slice } from './pagination.ts'

/**
 * Reads one page of the items in a span, sorted from newest to oldest and then by id, and counts all items in the span.
 * MongoDB has to skip only a few thousand index keys, even if the list is long and the page is near the end of the
 * list. A page past the end is empty.
 */
export async function readCountedPage<Item>(
  deps: Pick<Deps, 'listCounts' | 'now'>,
  countable: Countable,
  span: Span,
  slice: Slice,
  fields: Record<string, unknown>,
): Promise<Page<Item>> {
  const skip = (slice.page - 1) * slice.limit
  const counting = countSpan(deps, countable, span)
  // A page near the start of the list is read while the items are being counted. Any other page is read from a
  // checkpoint, so it is read after the count.
  const start = skip <= deps.listCounts.stride ? { before: null, skip } : startOf(await counting, skip)
  const [found, { total }] = await Promise.all([
    readFrom<Item>(countable, span, start, slice.limit + 1, fields),
    counting,
  ])
  return pageOf(slice, found, total)
}

async function readFrom<Item>(
  { collection, index, where }: Countable,
  span: Span,
  { before, skip }: PageStart,
  limit: number,
  projection: Record<string, unknown>,
): Promise<Item[]> {
  if (skip > maxSkip) return []
  const { createdAt } = within('createdAt', span)
  const time = { ...createdAt, ...(before === null ? {} : { $lt: before }) }
  const found = collection.find(
    { ...where, ...(Object.keys(time).length === 0 ? {} : { createdAt: time }) },
    { projection, hint: index, sort: { createdAt: -1, _id: -1 }, skip, limit, maxTimeMS: longestReadMs },
  )
  return (await readWithinPage(found)) as Item[]
}

/**
 * The position at which a page starts: `skip` items after the newest item that was created before `before`. If `before`
 * is null, the position is relative to the newest item of all.
 */
interface PageStart {
  before: Date | null
  skip: number
}

/** Returns where to start reading: at the nearest checkpoint before the page whose offset is `skip`. */
function startOf({ newer, checkpoints }: Counted, skip: number): PageStart {
  const last = checkpoints.at(-1)
  if (last === undefined) return { before: null, skip }
  const newerThan = ({ count }: Checkpoint): number => newer + last.count - count
  const checkpoint = checkpoints.find((each) => newerThan(each) <= skip)
  return checkpoint === undefined
    ? { before: null, skip }
    : { before: new Date(checkpoint.at), skip: skip - newerThan(checkpoint) }
}

/** The number of items in a span, and the checkpoints within the span. */
interface Counted {
  total: number
  /** The number of items that are newer than the last checkpoint. */
  newer: number
  /** The checkpoints within the span, oldest first. */
  checkpoints: readonly Checkpoint[]
}

/**
 * Counts all items in a span exactly. The checkpoints in the span provide the number of items between the first and the
 * last of them. MongoDB counts the index keys of the items that are newer than the last checkpoint, and of those that
 * are older than the first one. If the span has no checkpoints, MongoDB counts all index keys in it. Items older
 * than the list's first checkpoint may have been removed. A list that has no more than `stride` items has no
 * checkpoints.
 */
async function countSpan(
  { listCounts, now }: Pick<Deps, 'listCounts' | 'now'>,
  countable: Countable,
  span: Span,
): Promise<Counted> {
  const checkpoints = await listCounts.checkpointsOf(countable, now())
  if (checkpoints.length > 0) return countAround(checkpoints, countable, span)
  const short = await countAround([], countable, span, listCounts.stride + 1)
  if (short.newer <= listCounts.stride) return short
  return countAround(await listCounts.update(countable, now()), countable, span)
}

/**
 * Adds up the numbers of items before the first checkpoint, between the checkpoints and after the last checkpoint.
 * Counts at most `limit` items after the last checkpoint.
 */
async function countAround(
  all: readonly Checkpoint[],
  countable: Countable,
  span: Span,
  limit?: number,
): Promise<Counted> {
  const { from, to } = span
  const checkpoints = all.filter(
    ({ at }) => (from === null || at >= from.getTime()) && (to === null || at <= to.getTime()),
  )
  const [first, last] = [checkpoints[0], checkpoints.at(-1)]
  const { createdAt } = within('createdAt', span)
  if (first === undefined || last === undefined) {
    const newer = await countCreated(countable, { ...createdAt }, limit)
    return { total: newer, newer, checkpoints: [] }
  }
  const [older, newer] = await Promise.all([
    // No items were created before 1970.
    first.at === 0 ? 0 : countCreated(countable, { ...createdAt, $lt: new Date(first.at) }),
    countCreated(countable, { ...createdAt, $gte: new Date(last.at) }, limit),
  ])
  return { total: older + last.count - first.count + newer, newer, checkpoints }
}
