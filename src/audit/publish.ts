import { type Model, mongo } from 'mongoose'
import { nativeCollection } from '../mongo/collection.ts'
import type { Models } from '../mongo/models.ts'
import type { AuditEvent } from './audit-event.ts'

/** A document that may contain lines that are not in the trail yet. */
export interface Audited {
  _id: string
  unaudited: AuditEvent[]
}

/** Documents per read of the sweep. */
const batch = 500

/**
 * Moves the lines of some documents to the trail: inserts the lines, then removes exactly those lines from the
 * documents. If the process is killed in between, the sweep repeats both steps. A line keeps its id, so it is inserted
 * once.
 */
export async function publishAudit<Doc extends Audited>(
  deps: Pick<Models, 'AuditEvent'>,
  source: Model<Doc>,
  docs: readonly Audited[],
): Promise<void> {
  const lines = docs.flatMap((doc) => doc.unaudited)
  if (lines.length === 0) return
  try {
    await nativeCollection(deps.AuditEvent).insertMany(lines, { ordered: false })
  } catch (error) {
    if (!isOnlyDuplicates(error)) throw error
  }
  await nativeCollection(source as unknown as Model<Audited>).bulkWrite(
    docs.map(({ _id, unaudited }) => ({
      updateOne: {
        filter: { _id },
        update: { $pull: { unaudited: { _id: { $in: unaudited.map((line) => line._id) } } } },
      },
    })),
    { ordered: false },
  )
}

/** Publishes the lines of processes that died, for one collection. Returns the number of documents that had lines. */
export async function sweepAudit<Doc extends Audited>(
  deps: Pick<Models, 'AuditEvent'>,
  source: Model<Doc>,
): Promise<number> {
  const model = source as unknown as Model<Audited>
  for (let seen = 0; ; ) {
    const left = await model
      .find({ 'unaudited.at': { $exists: true } }, { unaudited: 1 })
      .limit(batch)
      .lean<Audited[]>()
    if (left.length === 0) return seen
    await publishAudit(deps, model, left)
    seen += left.length
  }
}

/** Returns whether an insert failed only for lines that are already in the trail. */
function isOnlyDuplicates(error: unknown): boolean {
  if (!(error instanceof mongo.MongoBulkWriteError)) return false
  const faults = [error.writeErrors].flat()
  const isClear = faults.length > 0 && error.result.getWriteConcernError() === undefined
  return isClear && faults.every((fault) => fault.code === 11000)
}
