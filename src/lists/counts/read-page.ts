import type { Deps } from '../../deps.ts'
import { longestReadMs, maxSkip, type Page, pageOf, type Slice } from '../../input/pagination.ts'
import { type Span, within } from '../../input/span.ts'
import { readWithinPage } from '../page-bytes.ts'
import type { Mark } from './checkpoint.ts'
import { type Counted, countSpan } from './count-span.ts'
import type { Countable } from './countable.ts'

/**
 * Reads one page of all that is countable in a span, newest first, ties by id, and counts them. However late the page and long the list,
 * no more than some strides of the index are passed over. Past the end: no items.
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
  // An early page is read beside the counting; a late one behind it, because the count knows where it begins.
  const entry = skip <= deps.listCounts.stride ? { before: null, skip } : entryOf(await counting, skip)
  const [found, { total }] = await Promise.all([
    readFrom<Item>(countable, span, entry, slice.limit + 1, fields),
    counting,
  ])
  return pageOf(slice, found, total)
}

async function readFrom<Item>(
  { collection, index, where }: Countable,
  span: Span,
  { before, skip }: Entry,
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

/** Where the reading for a page begins: at what was made before `before`, null: at the newest, and how many are then passed over. */
interface Entry {
  before: Date | null
  skip: number
}

/** The entry next to a page that so many stand in front of. */
function entryOf({ newer, marks }: Counted, skip: number): Entry {
  const last = marks.at(-1)
  if (last === undefined) return { before: null, skip }
  const newerThan = ({ made }: Mark): number => newer + last.made - made
  const mark = marks.find((one) => newerThan(one) <= skip)
  return mark === undefined
    ? { before: null, skip }
    : { before: new Date(mark.at), skip: skip - newerThan(mark) }
}
