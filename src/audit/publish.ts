import { type Model, mongo } from 'mongoose'
import { nativeCollection } from '../mongo/collection.ts'
import type { Models } from '../mongo/models.ts'
import type { AuditEvent } from './audit-event.ts'

/** A document that may carry lines which are not in the trail yet. */
export interface Audited {
  _id: string
  unaudited: AuditEvent[]
}

/** How many documents one poll takes. */
const batch = 500

/**
 * Moves the lines of some documents into the trail: insert, then take out just what was read. Killed in between, it runs again:
 * a line keeps its id, so nothing comes twice.
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
    if (!isOnlyKnown(error)) throw error
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

/** Publishes what processes that died left in the documents of one collection. Answers how many documents had any. */
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

/** Whether all that failed was there already. */
function isOnlyKnown(error: unknown): boolean {
  if (!(error instanceof mongo.MongoBulkWriteError)) return false
  const faults = [error.writeErrors].flat()
  const isClear = faults.length > 0 && error.result.getWriteConcernError() === undefined
  return isClear && faults.every((fault) => fault.code === 11000)
}
