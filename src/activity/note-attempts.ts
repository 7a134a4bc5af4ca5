import { nativeCollection } from '../mongo/collection.ts'
import type { Models } from '../mongo/models.ts'
import { type AttemptFigures, hourId, hourOf } from './activity-hour.ts'

/** The result of one attempt at a delivery. */
export interface AttemptNote {
  businessId: string
  sandbox: boolean
  at: Date
  outcome: keyof AttemptFigures
}

/**
 * Adds the results of attempts to the figures of their businesses and of all businesses. Writes one update per owner
 * and hour, however many attempts there are. Unlike payments, attempts are not counted exactly: if the process is
 * killed before it has written the results, they are missing from the figures.
 */
export function addAttempts(models: Pick<Models, 'ActivityHour'>, notes: AttemptNote[]): Promise<unknown> {
  const owned = notes.flatMap((note) => [note, { ...note, businessId: null }])
  const byHour = Map.groupBy(owned, (note) => hourId(note, hourOf(note.at)))
  return nativeCollection(models.ActivityHour).bulkWrite(
    [...byHour].map(([_id, ofHour]) => ({
      updateOne: {
        filter: { _id },
        update: { $inc: { ...outcomesOf(ofHour) }, $setOnInsert: { hour: startOf(ofHour) } },
        upsert: true,
      },
    })),
    { ordered: false },
  )
}

const startOf = ([first]: { at: Date }[]): Date => new Date(first === undefined ? 0 : hourOf(first.at))

function outcomesOf(notes: Pick<AttemptNote, 'outcome'>[]): AttemptFigures {
  const counts = { delivered: 0, retrying: 0, dead: 0 }
  for (const { outcome } of notes) counts[outcome] += 1
  return counts
}
