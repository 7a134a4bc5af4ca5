import type { Model } from 'mongoose'
import { type Collection, nativeCollection } from '../mongo/collection.ts'

/** The stored progress of the clean-up in one business. */
export interface RetentionProgress {
  /** The id of the business. */
  _id: string
  /** The last pass that finished this business. */
  pass?: string
  /** By name of the walk: documents created before this instant are done. */
  walked?: Record<string, Date>
}

export const retentionProgress: Collection = {
  name: 'retentionprogress',
  fields: { _id: String, pass: String, walked: Object },
  indexes: [],
}

/** The progress during a clean-up of the business. */
export interface Progress {
  /** Returns the instant up to which earlier clean-ups have done this walk, or null if there is none. */
  reached(walk: string): Date | null
  /** Notes the instant up to which this clean-up has done the walk, until the next save. */
  note(walk: string, at: Date): void
  save(): Promise<void>
  /** Saves the progress, and that this pass has finished the business. */
  end(pass: string): Promise<void>
}

export function openProgress(
  deps: { RetentionProgress: Model<RetentionProgress> },
  businessId: string,
  { walked = {} }: Pick<RetentionProgress, 'walked'>,
): Progress {
  const noted: Record<string, Date> = {}
  const write = async (set: Partial<RetentionProgress>): Promise<void> => {
    // `$max`, because a run that lost its lease may write later than the run that took over.
    const change = { $set: set, $max: noted }
    await nativeCollection(deps.RetentionProgress).updateOne({ _id: businessId }, change, { upsert: true })
  }
  return {
    reached: (walk) => walked[walk] ?? null,
    note: (walk, at) => void (noted[`walked.${walk}`] = at),
    save: () => write({}),
    end: (pass) => write({ pass }),
  }
}
