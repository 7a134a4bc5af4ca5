import type { Model } from 'mongoose'
import type { Listed } from '../input/pagination.ts'
import { readPage, type Walk } from '../mongo/walk.ts'
import type { Cleaning } from './cleaning.ts'
import type { Pace } from './pace.ts'

/**
 * One batch: 500 documents are gone in some 10 to 50 ms, for which nobody else's write waits long. MongoDB gives each call up before the
 * driver gives up waiting for it (5 s), so that none goes on unheard.
 */
export const batchLimits = { documents: 500, maxTimeMS: 4_000 } as const

/**
 * Goes through documents by an index that ends in time and id, oldest first, a batch at a time, and hands their ids to `act`. Whether one
 * is to be touched is judged there: a judgement here would have MongoDB look for a whole batch of them, however long that takes.
 */
export async function eachPage<Doc extends Listed>(
  pace: Pace,
  model: Model<Doc>,
  walk: Walk,
  act: (ids: string[], until: Date) => Promise<void>,
): Promise<void> {
  let last: Listed | null = null
  for (;;) {
    const page: Listed[] = await pace(async () => {
      const found = await readPage(model, walk, last, { ...batchLimits, projection: { createdAt: 1 } })
      const end = found.at(-1)
      if (end !== undefined)
        await act(
          found.map(({ _id }) => _id),
          end.createdAt,
        )
      return found
    })
    last = page.at(-1) ?? null
    if (last === null || page.length < batchLimits.documents) return
  }
}

/**
 * The same for what stays: goes on where the last walk of this name came to, at this business, and writes down with each batch how far it is
 * itself.
 */
export async function eachNewPage<Doc extends Listed>(
  { pace, progress, isDry }: Cleaning,
  name: string,
  model: Model<Doc>,
  walk: Omit<Walk, 'from'>,
  act: (ids: string[]) => Promise<void>,
): Promise<void> {
  await eachPage(pace, model, { ...walk, from: progress.reached(name) }, async (ids, until) => {
    await act(ids)
    progress.note(name, until)
    if (!isDry && ids.length === batchLimits.documents) await progress.save()
  })
  progress.note(name, walk.before)
}
