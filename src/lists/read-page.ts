import { spanFilter, type TimeSpan } from '../input/span.ts'
import type { Deps } from '../platform/deps.ts'
import { type CountableList, type CountCheckpoint, countListItems } from './counts.ts'
import {
  cutPage,
  maxListReadMs,
  maxSkip,
  type Page,
  type PageRequest,
  readPageDocuments,
} from './pagination.ts'

/** Even for a distant page, MongoDB skips only a few thousand keys. */
export async function readCountedPage<Item>(
  deps: Pick<Deps, 'listCounts' | 'now'>,
  countable: CountableList,
  span: TimeSpan,
  slice: PageRequest,
  fields: Record<string, unknown>,
): Promise<Page<Item>> {
  const skip = (slice.page - 1) * slice.limit
  const counting = countSpan(deps, countable, span)
  // Finding a distant page's checkpoint needs the count.
  const start =
    skip <= deps.listCounts.itemsPerCheckpoint ? { before: null, skip } : startOf(await counting, skip)
  const [found, { total }] = await Promise.all([
    readFrom<Item>(countable, span, start, slice.limit + 1, fields),
    counting,
  ])
  return cutPage(slice, found, total)
}

async function readFrom<Item>(
  { collection, index, where }: CountableList,
  span: TimeSpan,
  { before, skip }: PageStart,
  limit: number,
  projection: Record<string, unknown>,
): Promise<Item[]> {
  if (skip > maxSkip) return []
  const { createdAt } = spanFilter('createdAt', span)
  const time = { ...createdAt, ...(before === null ? {} : { $lt: before }) }
  const found = collection.find(
    { ...where, ...(Object.keys(time).length === 0 ? {} : { createdAt: time }) },
    { projection, hint: index, sort: { createdAt: -1, _id: -1 }, skip, limit, maxTimeMS: maxListReadMs },
  )
  return (await readPageDocuments(found)) as Item[]
}

/** `skip` counts from the newest item, or from `before`. */
interface PageStart {
  before: Date | null
  skip: number
}

function startOf({ newer, checkpoints }: Counted, skip: number): PageStart {
  const last = checkpoints.at(-1)
  if (last === undefined) return { before: null, skip }
  const newerThan = ({ count }: CountCheckpoint): number => newer + last.count - count
  const checkpoint = checkpoints.find((each) => newerThan(each) <= skip)
  return checkpoint === undefined
    ? { before: null, skip }
    : { before: new Date(checkpoint.at), skip: skip - newerThan(checkpoint) }
}

interface Counted {
  total: number
  newer: number
  checkpoints: readonly CountCheckpoint[]
}

async function countSpan(
  { listCounts, now }: Pick<Deps, 'listCounts' | 'now'>,
  countable: CountableList,
  span: TimeSpan,
): Promise<Counted> {
  const checkpoints = await listCounts.checkpointsOf(countable, now())
  if (checkpoints.length > 0) return countAround(checkpoints, countable, span)
  const short = await countAround([], countable, span, listCounts.itemsPerCheckpoint + 1)
  if (short.newer <= listCounts.itemsPerCheckpoint) return short
  return countAround(await listCounts.update(countable, now()), countable, span)
}

/** `limit` caps the count of items after the last checkpoint. */
async function countAround(
  all: readonly CountCheckpoint[],
  countable: CountableList,
  span: TimeSpan,
  limit?: number,
): Promise<Counted> {
  const { from, to } = span
  const checkpoints = all.filter(
    ({ at }) => (from === null || at >= from.getTime()) && (to === null || at <= to.getTime()),
  )
  const [first, last] = [checkpoints[0], checkpoints.at(-1)]
  const { createdAt } = spanFilter('createdAt', span)
  if (first === undefined || last === undefined) {
    const newer = await countListItems(countable, { ...createdAt }, limit)
    return { total: newer, newer, checkpoints: [] }
  }
  const [older, newer] = await Promise.all([
    // No item was created before 1970.
    first.at === 0 ? 0 : countListItems(countable, { ...createdAt, $lt: new Date(first.at) }),
    countListItems(countable, { ...createdAt, $gte: new Date(last.at) }, limit),
  ])
  return { total: older + last.count - first.count + newer, newer, checkpoints }
}
