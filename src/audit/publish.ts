import type { Model } from 'mongoose'
import { isOnlyDuplicates, nativeCollection } from '../mongo/collection.ts'
import type { Models } from '../mongo/models.ts'
import type { AuditEvent } from './audit-event.ts'

/** A document that may contain audit lines that are not in the audit trail yet. */
export interface Audited {
  _id: string
  unaudited: AuditEvent[]
}

/** A document of a collection in which only some documents have audit lines. */
type MaybeAudited = Omit<Audited, 'unaudited'> & Partial<Audited>

/** The number of documents that a sweep reads at a time. */
const batch = 500

type PublishDeps = Pick<Models, 'AuditEvent'> & { now(): Date }

/**
 * Moves the audit lines of changed documents to the audit trail, except lines that are dated in the future (share.ts).
 * Never throws, because the change has already been made. If MongoDB fails here, a sweep moves the lines later.
 */
export async function publishAudit<Doc extends MaybeAudited>(
  deps: PublishDeps,
  source: Model<Doc>,
  docs: readonly Audited[],
): Promise<void> {
  await publishLines(deps, source, docs).catch(() => undefined)
}

/**
 * First inserts the lines, then removes those same lines from the documents. If the process is killed between the two
 * steps, the sweep repeats both. Each line keeps its id, so it is inserted only once.
 */
async function publishLines<Doc extends MaybeAudited>(
  deps: PublishDeps,
  source: Model<Doc>,
  docs: readonly Audited[],
): Promise<void> {
  const lines = docs.flatMap((doc) => doc.unaudited).filter(({ at }) => at <= deps.now())
  if (lines.length === 0) return
  try {
    await nativeCollection(deps.AuditEvent).insertMany(lines, { ordered: false })
  } catch (error) {
    if (!isOnlyDuplicates(error)) throw error
  }
  await nativeCollection(source as unknown as Model<Audited>).bulkWrite(
    docs.map(({ _id }) => ({
      updateOne: {
        filter: { _id },
        update: { $pull: { unaudited: { _id: { $in: lines.map((line) => line._id) } } } },
      },
    })),
    { ordered: false },
  )
}

/**
 * Publishes the audit lines that dead processes left in one collection. Returns the number of documents that contained
 * lines.
 */
export async function sweepAudit<Doc extends MaybeAudited>(deps: PublishDeps, source: Model<Doc>): Promise<number> {
  const model = source as unknown as Model<Audited>
  for (let seen = 0; ; ) {
    const left = await model
      .find({ 'unaudited.at': { $lte: deps.now() } }, { unaudited: 1 })
      .limit(batch)
      .lean<Audited[]>()
    if (left.length === 0) return seen
    await publishLines(deps, model, left)
    seen += left.length
  }
}
