import type { KeyObject } from 'node:crypto'
import type { mongo } from 'mongoose'
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
/** A line is sealed in the night after it was written. After two days, a line without a seal is a fault. */
const maxUnsealedMs = 48 * 3_600_000

/** Compares the lines in MongoDB with their seal. Yields each fault as a sentence. */
export async function* faultsOfLines(
  deps: LineDeps,
  key: KeyObject,
  { _id: number, ids, digests }: Seal,
): AsyncGenerator<string> {
  const found = await nativeCollection(deps.AuditEvent)
    .find({ _id: { $in: ids } }, { limit: linesPerSeal, maxTimeMS })
    .toArray()
  const byId = new Map(found.map((line) => [line._id, line]))
  for (const [index, id] of ids.entries()) {
    const line = byId.get(id)
    if (line === undefined) yield `Line ${id} of seal ${number} is missing.`
    else if (digestOfLine(key, line) !== digests[index]) yield `Line ${id} of seal ${number} was changed.`
    // A process may have been killed before it marked the lines of the last seal, so a missing mark is not a fault.
    else if ((line.seal ?? number) !== number) yield `Line ${id} of seal ${number} is marked with seal ${line.seal}.`
  }
  const marked = { seal: { $gt: number - 1, $lte: number }, _id: { $nin: ids } }
  for await (const { _id } of findAll(deps, marked))
    yield `Line ${_id} was added later: it is marked with seal ${number}, which does not contain it.`
}

/** The BSON types of a mark that is neither a number nor null. A line with such a mark would never get into a seal. */
const nonNumericTypes = ['string', 'object', 'array', 'binData', 'objectId', 'bool', 'date', 'regex', 'timestamp']

/** Finds the lines that should belong to a seal but do not. Yields each fault as a sentence. */
export async function* faultsOfOtherLines(deps: LineDeps, lastSeal: number): AsyncGenerator<string> {
  const strays = {
    $or: [{ seal: { $gt: lastSeal } }, { seal: { $lte: 0 } }, { seal: { $type: nonNumericTypes } }],
  }
  for await (const { _id, seal } of findAll(deps, strays as mongo.Filter<AuditEvent>))
    yield `Line ${_id} is marked with seal ${String(seal)}, which is missing.`
  const before = new Date(deps.now().getTime() - maxUnsealedMs)
  for await (const { _id } of findAll(deps, { seal: null, at: { $lt: before } }))
    yield `Line ${_id} has had no seal for more than 48 hours.`
}

/**
 * Reads the ids and marks of all lines that match. There is no limit on the total time, because otherwise someone could
 * prevent the check by adding very many lines. Each batch is a short read of an index.
 */
const findAll = (deps: LineDeps, filter: mongo.Filter<AuditEvent>): mongo.FindCursor<Line> =>
  nativeCollection(deps.AuditEvent).find<Line>(filter, { projection: { seal: 1 }, batchSize })
