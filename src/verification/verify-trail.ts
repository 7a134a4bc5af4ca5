import type { KeyObject } from 'node:crypto'
import { mongo } from 'mongoose'
import type { AuditEvent } from '../audit/audit-event.ts'
import { numberFilter } from '../chains/append.ts'
import { rawCollection } from '../mongo/collection.ts'
import { readTimeoutMs as maxTimeMS } from '../mongo/connect.ts'
import { findServiceKey } from '../security/service-keys.ts'
import type { Pacer } from '../work/pace.ts'
import {
  digestAuditLine,
  digestRecord,
  type ExpectedSeal,
  linesPerSeal,
  type StoredSeal,
  sanitiseSeal,
  type VerifiedTrail,
} from './seal.ts'
import type { SealDeps } from './seal-trail.ts'

type VerifyDeps = Omit<SealDeps, 'log'>

/** A forger may have added many lines with long ids. */
const maxFaults = 20
const maxFaultLength = 200

/**
 * If an operator with SECRET_KEY replaced the whole trail, only `expected` (a
 * seal from the logs) can reveal that.
 */
export async function verifyAuditTrail(
  deps: VerifyDeps,
  pace: Pacer,
  expected: ExpectedSeal | null,
  start: { last: StoredSeal | null; lines: number } = { last: null, lines: 0 },
): Promise<VerifiedTrail> {
  const { last: before, lines } = start
  const result: VerifiedTrail = { seals: before?._id ?? 0, lines, last: null, faultCount: 0, faults: [] }
  const report = (fault: string): void => {
    result.faultCount += 1
    if (result.faults.length < maxFaults) result.faults.push(fault.slice(0, maxFaultLength))
  }
  const reportAll = async (faults: AsyncGenerator<string>): Promise<void> => {
    for await (const fault of faults) report(fault)
  }
  const key = await findServiceKey(deps, 'audit').catch(() => null)
  let isExpectedSeen = false
  let earlier: Date | null = null
  for (let { last } = start; ; ) {
    // After a full seal, the next one may have lines that are just as old.
    if (last !== null && last.ids.length < linesPerSeal) earlier = last.at
    const seal: StoredSeal | null = await pace(() => nextSeal(deps, last?._id ?? 0))
    if (seal === null) break
    if (key === null) {
      report('The audit key is missing, or the trail was sealed with a different SECRET_KEY.')
      return result
    }
    for (const fault of faultsOfSeal(key, last, seal)) report(fault)
    await pace(() => reportAll(faultsOfLines(deps, key, seal, earlier)))
    if (seal._id === expected?.number) {
      isExpectedSeen = true
      if (seal.digest !== expected.digest) report(`Seal ${seal._id} does not have the expected digest.`)
    }
    result.seals += 1
    result.lines += seal.ids.length
    result.last = { number: seal._id, digest: seal.digest }
    last = seal
  }
  if (expected !== null && !isExpectedSeen)
    report(`Seal ${expected.number} is missing, although it is expected.`)
  const stray = await rawCollection(deps.AuditSeal).findOne({ _id: { $not: numberFilter } }, { maxTimeMS })
  if (stray !== null) report(`A seal has the number ${JSON.stringify(stray._id)}.`)
  await pace(() => reportAll(faultsOfOtherLines(deps, result.last?.number ?? 0)))
  return result
}

const nextSeal = async ({ AuditSeal }: VerifyDeps, after: number): Promise<StoredSeal | null> =>
  sanitiseSeal(
    await rawCollection(AuditSeal).findOne({ _id: { $gt: after } }, { sort: { _id: 1 }, maxTimeMS }),
  )

function* faultsOfSeal(key: KeyObject, last: StoredSeal | null, seal: StoredSeal): Generator<string> {
  const next = (last?._id ?? 0) + 1
  if (seal._id > next) {
    const missing = seal._id === next + 1 ? `Seal ${next} is` : `Seals ${next} to ${seal._id - 1} are`
    yield `${missing} missing.`
  } else if (seal.previous !== (last?.digest ?? null)) {
    yield `Seal ${seal._id} does not continue from the previous seal.`
  }
  if (seal.digest !== digestRecord(key, 'seal', seal)) yield `Seal ${seal._id} was changed.`
}

type Line = Pick<AuditEvent, '_id' | 'seal'>

const batchSize = 1000
/** Lines are sealed the next night, or a night later if a job fails. */
const maxUnsealedMs = 48 * 3_600_000
/**
 * A payout's line is dated before the ledger is verified, and a line shared by
 * an hour's repeats is sealed up to two hours later.
 */
const maxLateMs = 6 * 3_600_000
const maxSkewMs = 3_600_000

async function* faultsOfLines(
  deps: VerifyDeps,
  key: KeyObject,
  { _id: number, at, ids, digests }: StoredSeal,
  earlier: Date | null,
): AsyncGenerator<string> {
  const found = await rawCollection(deps.AuditEvent)
    .find({ _id: { $in: ids } }, { limit: linesPerSeal, maxTimeMS })
    .toArray()
  const byId = new Map(found.map((line) => [line._id, line]))
  for (const [index, id] of ids.entries()) {
    const line = byId.get(id)
    if (line === undefined) yield `Line ${id} of seal ${number} is missing.`
    else if (digestAuditLine(key, line) !== digests[index]) yield `Line ${id} of seal ${number} was changed.`
    else if (earlier !== null && !(Number(line.at) >= earlier.getTime() - maxLateMs))
      yield `Line ${id} of seal ${number} is more than 6 hours older than the previous seal.`
    else if (line.at > new Date(at.getTime() + maxSkewMs))
      yield `Line ${id} is dated after its seal ${number}.`
    // The process may have been killed before it marked the lines.
    else if ((line.seal ?? number) !== number)
      yield `Line ${id} of seal ${number} is marked with seal ${shown(line.seal)}.`
  }
  const marked = { seal: { $gt: number - 1, $lte: number }, _id: { $nin: ids } }
  for await (const { _id, seal } of findAll(deps, marked))
    yield `Line ${_id} was added later: it is marked with seal ${shown(seal)}, which does not contain it.`
}

/** A line whose mark has any of these BSON types would never be sealed. */
const otherTypes =
  'minKey undefined string symbol object array binData objectId bool date timestamp regex dbPointer javascript javascriptWithScope maxKey'.split(
    ' ',
  )

async function* faultsOfOtherLines(deps: VerifyDeps, lastSeal: number): AsyncGenerator<string> {
  const strays = {
    // NaN never matches a range, but it does match equality.
    $or: [{ $gt: lastSeal }, { $lt: 1 }, Number.NaN, { $type: otherTypes }].map((seal) => ({ seal })),
  }
  for await (const { _id, seal } of findAll(deps, strays as mongo.Filter<AuditEvent>))
    yield `Line ${_id} is marked with seal ${shown(seal)}, which is missing.`
  const before = new Date(deps.now().getTime() - maxUnsealedMs)
  for await (const { _id } of findAll(deps, { seal: null, at: { $lt: before } }))
    yield `Line ${_id} has had no seal for more than 48 hours.`
}

/** A forged `seal` may be any BSON value. */
const shown = (seal: unknown): string =>
  typeof seal === 'string' ? seal : mongo.BSON.EJSON.stringify(seal, { relaxed: true })

/** Has no total time limit, because a forger could make it run out. */
const findAll = (deps: VerifyDeps, filter: mongo.Filter<AuditEvent>): mongo.FindCursor<Line> =>
  rawCollection(deps.AuditEvent).find<Line>(filter, { projection: { seal: 1 }, batchSize })
