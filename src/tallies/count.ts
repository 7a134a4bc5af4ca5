import type { Span } from '../span.ts'
import { count } from './count-on.ts'
import type { Tallies } from './tallies.ts'
import { type Countable, type Mark, stride } from './tally.ts'

/** How many there are of a span, and where in it the marks stand. */
export interface Counted {
  total: number
  /** How many are newer than the last of the marks. */
  newer: number
  /** Those within the span, oldest first. */
  marks: readonly Mark[]
}

/**
 * Counts all of a span, exactly: what is settled by the marks, what is newer, and what may go, by the index. Where too many are newer the
 * tally is brought up to them first; a list of no more than a stride never has one.
 */
export async function countTallied(
  deps: { tallies: Tallies },
  countable: Countable,
  span: Span,
): Promise<Counted> {
  const counted = await countAround(deps.tallies.marksOf(countable), countable, span, stride + 1)
  if (counted.newer <= stride) return counted
  await deps.tallies.bringUp(countable)
  return countAround(deps.tallies.marksOf(countable), countable, span, undefined)
}

/** What is newer is counted up to `most`. */
async function countAround(
  all: readonly Mark[],
  countable: Countable,
  { from, to }: Span,
  most: number | undefined,
): Promise<Counted> {
  const marks = all.filter(
    ({ at }) => (from === null || at >= from.getTime()) && (to === null || at <= to.getTime()),
  )
  const [first, last] = [marks[0], marks.at(-1)]
  const end = to === null ? {} : { $lte: to }
  const start = from === null ? {} : { $gte: from }
  if (first === undefined || last === undefined) {
    const newer = await count(countable, { ...start, ...end }, most)
    return { total: newer, newer, marks: [] }
  }
  const [older, newer] = await Promise.all([
    // Nothing was made before 1970.
    first.at === 0 ? 0 : count(countable, { ...start, $lt: new Date(first.at) }),
    count(countable, { $gte: new Date(last.at), ...end }, most),
  ])
  return { total: older + last.made - first.made + newer, newer, marks }
}

/** Where the reading for a page begins: at what was made before `before`, null: at the newest, and how many are then passed over. */
export function entryOf({ newer, marks }: Counted, skip: number): { before: Date | null; skip: number } {
  const last = marks.at(-1)
  if (last === undefined) return { before: null, skip }
  const newerThan = ({ made }: Mark): number => newer + last.made - made
  const mark = marks.find((one) => newerThan(one) <= skip)
  return mark === undefined
    ? { before: null, skip }
    : { before: new Date(mark.at), skip: skip - newerThan(mark) }
}
