import type { mongo } from 'mongoose'
import { nativeCollection } from '../mongo/collection.ts'
import type { Models } from '../mongo/models.ts'
import type { AuditEvent } from './audit-event.ts'

/** Adds lines to the audit trail, in the transaction of the act that they report. */
export async function addLines(
  deps: Pick<Models, 'AuditEvent'>,
  lines: readonly AuditEvent[],
  session: mongo.ClientSession,
): Promise<void> {
  if (lines.length > 0) await nativeCollection(deps.AuditEvent).insertMany([...lines], { session })
}
