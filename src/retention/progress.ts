import type { Model } from 'mongoose'
import { type Collection, nativeCollection } from '../mongo/collection.ts'

/** The stored progress of the clean-up for one business. */
export interface RetentionProgress {
  /** The business's id. */
  _id: string
  /** The last pass that finished this business. */
  pass?: string
  /**
   * For each walk, by name, the time before which all documents have been processed. It refers to the documents'
   * creation times.
   */
  walked?: Record<string, Date>
}

export const retentionProgress: Collection = {
  name: 'retentionprogress',
  fields: { _id: String, pass: String, walked: Object },
  indexes: [],
}

/** The progress while a business is being cleaned. */
export interface Progress {
  /** Returns the creation time up to which earlier clean-ups have completed this walk, or null if none has. */
  reached(walk: string): Date | null
  /**
   * Notes the creation time up to which this clean-up has completed the walk. The time is stored with the next save.
   */
  note(walk: string, at: Date): void
  save(): Promise<void>
  /** Saves the progress, and records that this pass has finished the business. */
  end(pass: string): Promise<void>
}

export function openProgress(
  deps: { RetentionProgress: Model<RetentionProgress> },
  businessId: string,
  { walked = {} }: Pick<RetentionProgress, 'walked'>,
): Progress {
  const noted: Record<string, Date> = {}
  const write = async (set: Partial<RetentionProgress>): Promise<void> => {
    // `$max` is needed because a run that lost its lease may write later than the run that took over.
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
