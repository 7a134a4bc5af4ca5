import { hash } from 'node:crypto'
import type { mongo } from 'mongoose'
import { isDuplicateKey, rawCollection } from '../mongo/collection.ts'
import type { Models } from '../platform/deps.ts'
import { hourMs, startOfHour } from '../platform/time.ts'
import type { AuditEvent } from './audit-event.ts'

const idInHour = (key: string, kind: 'first' | 'repeats', at: Date): string =>
  hash('sha256', JSON.stringify([key, kind, startOfHour(at)]), 'hex').slice(0, 24)

type TrailDeps = Pick<Models, 'AuditEvent'>

/** A single line counts all repeats of a key within an hour. */
export async function recordAuditRepeat(
  deps: TrailDeps,
  key: string,
  { _id: _own, after: _after, ...line }: AuditEvent,
  note: string,
  session?: mongo.ClientSession,
): Promise<void> {
  const own = { ...line, closesAt: new Date(startOfHour(line.at).getTime() + hourMs) }
  await rawCollection(deps.AuditEvent).updateOne(
    { _id: idInHour(key, 'repeats', line.at) },
    { $setOnInsert: own, $inc: { 'after.times': 1 }, $addToSet: { 'after.notes': note } },
    { upsert: true, ...(session && { session }) },
  )
}

/** Adds at most two lines per hour and key, so a stranger can't add many. */
export async function addOrCountLine(deps: TrailDeps, key: string, line: AuditEvent, note: string) {
  try {
    await rawCollection(deps.AuditEvent).insertOne({ ...line, _id: idInHour(key, 'first', line.at) })
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
    await recordAuditRepeat(deps, key, line, note)
  }
}
