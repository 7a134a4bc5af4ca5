import type { Deps } from '../../deps.ts'
import type { Span } from '../../input/span.ts'
import type { Mark } from './checkpoint.ts'
import { type Countable, countMade } from './countable.ts'

/** How many there are of a span, and where in it the marks stand. */
export interface Counted {
  total: number
  /** How many are newer than the last of the marks. */
  newer: number
  /** Those within the span, oldest first. */
  marks: readonly Mark[]
}

/**
 * Counts all of a span, exactly: what is settled by the marks, what is newer, and what may go, by the index. A list of no more than a
 * stride has no marks.
 */
export async function countSpan(
  { listCounts, now }: Pick<Deps, 'listCounts' | 'now'>,
  countable: Countable,
  span: Span,
): Promise<Counted> {
  const marks = await listCounts.checkpointsOf(countable, now())
  if (marks.length > 0) return countAround(marks, countable, span, Number.POSITIVE_INFINITY)
  const few = await countAround([], countable, span, listCounts.stride + 1)
  if (few.newer <= listCounts.stride) return few
  return countAround(await listCounts.bringUp(countable, now()), countable, span, Number.POSITIVE_INFINITY)
}

/** What is newer is counted up to `most`. */
async function countAround(
  all: readonly Mark[],
  countable: Countable,
  { from, to }: Span,
  most: number,
): Promise<Counted> {
  const marks = all.filter(
    ({ at }) => (from === null || at >= from.getTime()) && (to === null || at <= to.getTime()),
  )
  const [first, last] = [marks[0], marks.at(-1)]
  const end = to === null ? {} : { $lte: to }
  const start = from === null ? {} : { $gte: from }
  if (first === undefined || last === undefined) {
    const newer = await countMade(countable, { ...start, ...end }, most)
    return { total: newer, newer, marks: [] }
  }
  const [older, newer] = await Promise.all([
    // Nothing was made before 1970.
    first.at === 0
      ? 0
      : countMade(countable, { ...start, $lt: new Date(first.at) }, Number.POSITIVE_INFINITY),
    countMade(countable, { $gte: new Date(last.at), ...end }, most),
  ])
  return { total: older + last.made - first.made + newer, newer, marks }
}
