import type { Deps } from '../../deps.ts'
import { type Span, within } from '../../input/span.ts'
import type { Checkpoint } from './checkpoint.ts'
import { type Countable, countCreated } from './countable.ts'

/** The number of items in a span, and the checkpoints within the span. */
export interface Counted {
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
export async function countSpan(
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
