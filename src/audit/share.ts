import { isDuplicate, nativeCollection } from '../mongo/collection.ts'
import type { Models } from '../mongo/models.ts'
import type { AuditEvent } from './audit-event.ts'
import { publishAudit } from './publish.ts'

const hourMs = 3_600_000
const keptMs = 7 * 24 * hourMs

export const startOfHour = (at: Date): Date => new Date(Math.floor(at.getTime() / hourMs) * hourMs)

/**
 * Returns an expression for the new value of `unaudited`, for acts that a caller may repeat without limit, and that
 * must not be refused. The first line of an hour is added as it is. If `isRepeat`, the line is only counted: the
 * repeats of an hour share one line, which is dated the end of that hour and published then. The shared line keeps the
 * actor of the first repeat. `note` says what else differs, and is added to its notes.
 */
export function sharing(line: AuditEvent, isRepeat: object, note: string): object {
  const at = new Date(startOfHour(line.at).getTime() + hourMs)
  const before = { $ifNull: ['$unaudited', []] }
  const shared = { $arrayElemAt: [{ $filter: { input: before, cond: { $eq: ['$$this.at', at] } } }, 0] }
  const after = {
    times: { $add: [{ $ifNull: ['$$shared.after.times', 0] }, 1] },
    notes: { $setUnion: [{ $ifNull: ['$$shared.after.notes', []] }, [{ $literal: note }]] },
  }
  const counted = { $mergeObjects: [{ $literal: { ...line, at } }, '$$shared', { after }] }
  const others = { $filter: { input: before, cond: { $ne: ['$$this.at', at] } } }
  const repeated = { $let: { vars: { shared }, in: { $concatArrays: [others, [counted]] } } }
  return { $cond: [isRepeat, repeated, { $concatArrays: [before, [{ $literal: line }]] }] }
}

/** Adds a line to the audit trail at once, or shares it with the further lines of the same hour and key (`sharing`). */
export async function addShared(
  deps: Pick<Models, 'AuditEvent' | 'SharedLine'> & { now(): Date },
  key: string,
  line: AuditEvent,
  note: string,
): Promise<void> {
  const hour = startOfHour(line.at)
  const isRepeat = { $eq: [{ $type: '$expiresAt' }, 'date'] }
  const change = { unaudited: sharing(line, isRepeat, note), expiresAt: new Date(hour.getTime() + keptMs) }
  const write = () =>
    nativeCollection(deps.SharedLine).findOneAndUpdate({ _id: `${key} ${hour.toISOString()}` }, [{ $set: change }], {
      upsert: true,
      returnDocument: 'after',
    })
  const written = await write().catch((error: unknown) => {
    // Another process inserted the document at the same time.
    if (isDuplicate(error)) return write()
    throw error
  })
  if (written !== null) await publishAudit(deps, deps.SharedLine, [written])
}
