import { furthestSkip, type Page, type Slice } from '../pagination.ts'
import { type Span, within } from '../span.ts'
import { countTallied, entryOf } from './count.ts'
import type { Tallies } from './tallies.ts'
import { type Countable, stride } from './tally.ts'

/**
 * Reads one page of all that is countable in a span, newest first, ties by id, and counts them. However late the page and long the list,
 * no more than some strides of the index are passed over. Past the end: no items.
 */
export async function readTalliedPage<Item>(
  deps: { tallies: Tallies },
  countable: Countable,
  span: Span,
  { page, limit }: Slice,
  fields: Record<string, unknown>,
): Promise<Page<Item>> {
  const skip = (page - 1) * limit
  const counting = countTallied(deps, countable, span)
  // An early page is read beside the counting; a late one behind it, because the count knows where it begins.
  const entry = skip <= stride ? { before: null, skip } : entryOf(await counting, skip)
  const [items, { total }] = await Promise.all([read<Item>(countable, span, entry, limit, fields), counting])
  return { items, page, limit, total, hasMore: skip + items.length < total && items.length > 0 }
}

async function read<Item>(
  { model, index, where }: Countable,
  span: Span,
  { before, skip }: { before: Date | null; skip: number },
  limit: number,
  fields: Record<string, unknown>,
): Promise<Item[]> {
  if (skip > furthestSkip) return []
  const { createdAt } = within('createdAt', span)
  const time = { ...createdAt, ...(before === null ? {} : { $lt: before }) }
  return model
    .find({ ...where, ...(Object.keys(time).length === 0 ? {} : { createdAt: time }) }, fields)
    .hint(index)
    .sort({ createdAt: -1, _id: -1 })
    .skip(skip)
    .limit(limit)
    .lean<Item[]>()
}
