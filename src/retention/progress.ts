import type { Model } from 'mongoose'
import { nativeCollection } from '../mongo/collection.ts'
import { declareCollection, type Stored } from '../mongo/declare.ts'
import { anything, optional, text } from '../mongo/fields.ts'

/** The stored progress of the clean-up for one business. */
export const retentionProgress = declareCollection({
  name: 'retentionprogress',
  kept: 'forever, one document for each business',
  fields: {
    /** The business's id. */
    _id: text,
    /** The id of the last pass that finished the clean-up of this business. */
    pass: optional(text),
    /** By the name of a walk (mongo/walk.ts): all its documents that were created before this time are done. */
    walked: optional(anything<Record<string, Date>>()),
  },
  indexes: [],
})
export type RetentionProgress = Stored<typeof retentionProgress>

export type Progress = ReturnType<typeof openProgress>

/** Opens the progress of one business's clean-up. */
export function openProgress(
  deps: { RetentionProgress: Model<RetentionProgress> },
  businessId: string,
  { walked = {} }: Pick<RetentionProgress, 'walked'>,
) {
  const noted: Record<string, Date> = {}
  const write = async (set: Partial<RetentionProgress>): Promise<void> => {
    // A run that has lost its lease may still write after another run has taken over. `$max` ensures that such a late
    // write does not set the progress back.
    const change = { $set: set, $max: noted }
    await nativeCollection(deps.RetentionProgress).updateOne({ _id: businessId }, change, { upsert: true })
  }
  return {
    /** Returns the time before which earlier clean-ups have processed this walk, or null if none is saved. */
    reached: (walk: string): Date | null => walked[walk] ?? null,
    /** Notes the creation time up to which this clean-up has processed the walk. The next save stores it. */
    note: (walk: string, at: Date): void => void (noted[`walked.${walk}`] = at),
    save: (): Promise<void> => write({}),
    /** Saves the progress, and records that this pass has finished the clean-up of the business. */
    end: (pass: string): Promise<void> => write({ pass }),
  }
}
