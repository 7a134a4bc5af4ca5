import { type Countable, stride, type Tally } from './tally.ts'

/**
 * Counts on from the last mark of a tally to where things are settled, a stride at a time, each in two short reads of an index. A mark
 * counts as soon as it is there: what fails in between is gone on with next time.
 */
export async function countOn(tally: Tally, countable: Countable): Promise<void> {
  const until = await countable.settledBefore()
  for (let step = stride; ; ) {
    const last = tally.marks.at(-1)
    if (last === undefined) return
    const next = await createdAfter(countable, last.at, until, step)
    if (next === null) return
    // So many in one millisecond that a stride does not lead out of it.
    if (next.getTime() === last.at) step *= 2
    else {
      const more = await count(countable, { $gte: new Date(last.at), $lt: next })
      tally.marks.push({ at: next.getTime(), made: last.made + more })
      step = stride
    }
  }
}

/** When the one was made that stands that many after an instant; null where there are not so many. */
async function createdAfter(
  { model, index, where }: Countable,
  from: number,
  until: Date,
  places: number,
): Promise<Date | null> {
  const found = await model
    .findOne({ ...where, createdAt: { $gte: new Date(from), $lt: until } }, { _id: 0, createdAt: 1 })
    .hint(index)
    .sort({ createdAt: 1, _id: 1 })
    .skip(places)
    .lean<{ createdAt: Date } | null>()
  return found?.createdAt ?? null
}

/** How many an index has of a span of time. Neither end: of all time. */
export const count = (
  { model, index, where }: Pick<Countable, 'model' | 'index' | 'where'>,
  createdAt: Record<string, Date>,
  limit?: number,
): Promise<number> =>
  model.countDocuments(
    { ...where, ...(Object.keys(createdAt).length === 0 ? {} : { createdAt }) },
    { hint: index, ...(limit === undefined ? {} : { limit }) },
  )
