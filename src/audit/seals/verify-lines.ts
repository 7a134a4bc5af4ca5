import type { KeyObject } from 'node:crypto'
import { mongo } from 'mongoose'
import { nativeCollection } from '../../mongo/collection.ts'
import type { Models } from '../../mongo/models.ts'
import type { AuditEvent } from '../audit-event.ts'
import { digestOfLine } from './digest.ts'
import { linesPerSeal, type Seal } from './seal.ts'

type Line = Pick<AuditEvent, '_id' | 'seal'>
type LineDeps = Pick<Models, 'AuditEvent'> & { now(): Date }

/** The number of lines in one batch of a query that may find any number of lines. */
const batchSize = 1000
const maxTimeMS = 4_000
/** A line is sealed in the night after it was written, or in the next one if a night's job fails. */
const maxUnsealedMs = 48 * 3_600_000
/**
 * How long before a seal a line may be dated that only a later seal contains. An act takes 10 s at most, and the clocks
 * of two processes differ by a second. A payout's line is dated before the verification of the ledger, which can take
 * long. The line that the repeated acts of an hour share is sealed up to two hours after its time.
 */
const maxLateMs = 6 * 3_600_000
/** How much a line may be ahead of its seal, because clocks differ. */
const maxSkewMs = 3_600_000

/**
 * Compares the lines in MongoDB with their seal. `earlier` is when the lines before them were sealed, or null if that
 * is unknown. Yields each fault as a sentence.
 */
export async function* faultsOfLines(
  deps: LineDeps,
  key: KeyObject,
  { _id: number, at, ids, digests }: Seal,
  earlier: Date | null,
): AsyncGenerator<string> {
  const found = await nativeCollection(deps.AuditEvent)
    .find({ _id: { $in: ids } }, { limit: linesPerSeal, maxTimeMS })
    .toArray()
  const byId = new Map(found.map((line) => [line._id, line]))
  for (const [index, id] of ids.entries()) {
    const line = byId.get(id)
    if (line === undefined) yield `Line ${id} of seal ${number} is missing.`
    else if (digestOfLine(key, line) !== digests[index]) yield `Line ${id} of seal ${number} was changed.`
    else if (earlier !== null && !(Number(line.at) >= earlier.getTime() - maxLateMs))
      yield `Line ${id} of seal ${number} is more than 6 hours older than the seal before.`
    else if (line.at > new Date(at.getTime() + maxSkewMs)) yield `Line ${id} is dated after its seal ${number}.`
    // A process may have been killed before it marked the lines of the last seal, so a missing mark is not a fault.
    else if ((line.seal ?? number) !== number)
      yield `Line ${id} of seal ${number} is marked with seal ${shown(line.seal)}.`
  }
  const marked = { seal: { $gt: number - 1, $lte: number }, _id: { $nin: ids } }
  for await (const { _id, seal } of findAll(deps, marked))
    yield `Line ${_id} was added later: it is marked with seal ${shown(seal)}, which does not contain it.`
}

/** All BSON types but numbers and null. A line with such a mark would never get into a seal. */
const otherTypes =
  'minKey undefined string symbol object array binData objectId bool date timestamp regex dbPointer javascript javascriptWithScope maxKey'.split(
    ' ',
  )

/** Finds the lines that should belong to a seal but do not. Yields each fault as a sentence. */
export async function* faultsOfOtherLines(deps: LineDeps, lastSeal: number): AsyncGenerator<string> {
  const strays = {
    // Comparisons never match NaN, of a double or a decimal, but equality does.
    $or: [{ seal: { $gt: lastSeal } }, { seal: { $lt: 1 } }, { seal: Number.NaN }, { seal: { $type: otherTypes } }],
  }
  for await (const { _id, seal } of findAll(deps, strays as mongo.Filter<AuditEvent>))
    yield `Line ${_id} is marked with seal ${shown(seal)}, which is missing.`
  const before = new Date(deps.now().getTime() - maxUnsealedMs)
  for await (const { _id } of findAll(deps, { seal: null, at: { $lt: before } }))
    yield `Line ${_id} has had no seal for more than 48 hours.`
}

/** Returns a mark, which may be any BSON value if it is forged. */
const shown = (seal: unknown): string =>
  typeof seal === 'string' ? seal : mongo.BSON.EJSON.stringify(seal, { relaxed: true })

/**
 * Reads the ids and marks of all lines that match. There is no limit on the total time, because otherwise someone could
 * prevent the check by adding very many lines. Each batch is a short read of an index.
 */
const findAll = (deps: LineDeps, filter: mongo.Filter<AuditEvent>): mongo.FindCursor<Line> =>
  nativeCollection(deps.AuditEvent).find<Line>(filter, { projection: { seal: 1 }, batchSize })
