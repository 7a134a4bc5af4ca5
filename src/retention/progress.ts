import type { Model } from 'mongoose'
import { nativeCollection } from '../mongo/collection.ts'
import { declareCollection, type Stored } from '../mongo/declare.ts'
import { anything, optional, text } from '../mongo/fields.ts'

export const retentionProgress = declareCollection({
  name: 'retentionprogress',
  kept: 'forever, one document for each business',
  fields: {
    _id: text,
    pass: optional(text),
    /** By the name of a walk (mongo/walk.ts): all documents created before this time are done. */
    walked: optional(anything<Record<string, Date>>()),
  },
  indexes: [],
})
export type RetentionProgress = Stored<typeof retentionProgress>

export type Progress = ReturnType<typeof openProgress>

export function openProgress(
  deps: { RetentionProgress: Model<RetentionProgress> },
  businessId: string,
  { walked = {} }: Pick<RetentionProgress, 'walked'>,
) {
  const noted: Record<string, Date> = {}
  const write = async (set: Partial<RetentionProgress>): Promise<void> => {
    // A run that has lost its lease may still write, and must not set the progress back.
    const change = { $set: set, $max: noted }
    await nativeCollection(deps.RetentionProgress).updateOne({ _id: businessId }, change, { upsert: true })
  }
  return {
    reached: (walk: string): Date | null => walked[walk] ?? null,
    note: (walk: string, at: Date): void => void (noted[`walked.${walk}`] = at),
    save: (): Promise<void> => write({}),
    end: (pass: string): Promise<void> => write({ pass }),
  }
}
