import type { Model } from 'mongoose'
import { type Collection, nativeCollection } from '../mongo/collection.ts'

/** How far the clean-up has come at one business, `_id`. */
export interface RetentionProgress {
  _id: string
  /** The last pass that was through with it. */
  pass?: string
  /** By walk: what was made before this has been looked at, and nobody need again. */
  walked?: Record<string, Date>
}

export const retentionProgress: Collection = {
  name: 'retentionprogress',
  fields: { _id: String, pass: String, walked: Object },
  indexes: [],
}

/** The same, while a clean-up is there. */
export interface Progress {
  /** Up to when a walk has come; null: nowhere yet. */
  reached(walk: string): Date | null
  /** Keeps in mind how far a walk has come, until it is written down. */
  note(walk: string, until: Date): void
  save(): Promise<void>
  /** Saves, and that this pass is through. */
  end(pass: string): Promise<void>
}

export function openProgress(
  deps: { RetentionProgress: Model<RetentionProgress> },
  businessId: string,
  { walked = {} }: Pick<RetentionProgress, 'walked'>,
): Progress {
  const noted: Record<string, Date> = {}
  const write = async (set: Partial<RetentionProgress>): Promise<void> => {
    // It never goes back: a run that lost its lease may write later than the one that took over.
    const change = { $set: set, $max: noted }
    await nativeCollection(deps.RetentionProgress).updateOne({ _id: businessId }, change, { upsert: true })
  }
  return {
    reached: (walk) => walked[walk] ?? null,
    note: (walk, until) => void (noted[`walked.${walk}`] = until),
    save: () => write({}),
    end: (pass) => write({ pass }),
  }
}
