import type { KeyObject } from 'node:crypto'
import { isNumber } from '../../chains/append.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import type { Models } from '../../mongo/models.ts'
import type { Pace } from '../../retention/pace.ts'
import type { Secrets } from '../../security/seal.ts'
import { findServiceKey } from '../../security/service-keys.ts'
import { digestOf } from './digest.ts'
import { type KnownSeal, linesPerSeal, readableSeal, type Seal, type Verified } from './seal.ts'
import { faultsOfLines, faultsOfOtherLines } from './verify-lines.ts'

export type VerifyDeps = Pick<Models, 'AuditEvent' | 'AuditSeal' | 'ServiceKey'> & {
  secrets: Secrets
  now(): Date
}

/** The maximum number of faults that are listed, and of characters of each, because a forged id may be long. */
const maxFaults = 20
const maxFaultLength = 200
const maxTimeMS = 4_000

/**
 * Verifies the audit trail, one seal at a time: all of it, or what follows the seal `start.last`. If a sealed line or a
 * seal was changed, removed or exchanged without the audit key, which is sealed with SECRET_KEY, there is a fault.
 *
 * Some changes cannot be found. If a line is changed, removed or inserted before it is sealed, the seal proves the
 * changed trail. If the last seals are removed together with their lines, or all seals with the key and all marks, the
 * rest is a valid trail. Such a removal is found only if `expected` is a seal from the logs. An operator who has
 * SECRET_KEY can make a new chain, which also differs from the logs.
 */
export async function verifyTrail(
  deps: VerifyDeps,
  pace: Pace,
  expected: KnownSeal | null,
  start: { last: Seal | null; lines: number } = { last: null, lines: 0 },
): Promise<Verified> {
  const { last: before, lines } = start
  const result: Verified = { seals: before?._id ?? 0, lines, last: null, faultCount: 0, faults: [] }
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
    // Lines that did not fit into a full seal are in the next one, however old they are.
    if (last !== null && last.ids.length < linesPerSeal) earlier = last.at
    const seal: Seal | null = await pace(() => nextSeal(deps, last?._id ?? 0))
    if (seal === null) break
    if (key === null) {
      report('The audit key is missing, or SECRET_KEY is not the key with which it was sealed.')
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
  if (expected !== null && !isExpectedSeen) report(`Seal ${expected.number} is missing, although it is expected.`)
  const stray = await nativeCollection(deps.AuditSeal).findOne({ _id: { $not: isNumber } }, { maxTimeMS })
  if (stray !== null) report(`A seal has the number ${JSON.stringify(stray._id)}.`)
  await pace(() => reportAll(faultsOfOtherLines(deps, result.last?.number ?? 0)))
  return result
}

const nextSeal = async ({ AuditSeal }: VerifyDeps, after: number): Promise<Seal | null> =>
  readableSeal(await nativeCollection(AuditSeal).findOne({ _id: { $gt: after } }, { sort: { _id: 1 }, maxTimeMS }))

function* faultsOfSeal(key: KeyObject, last: Seal | null, seal: Seal): Generator<string> {
  const next = (last?._id ?? 0) + 1
  if (seal._id > next) {
    const missing = seal._id === next + 1 ? `Seal ${next} is` : `Seals ${next} to ${seal._id - 1} are`
    yield `${missing} missing.`
  } else if (seal.previous !== (last?.digest ?? null)) {
    yield `Seal ${seal._id} does not continue the seal before it.`
  }
  if (seal.digest !== digestOf(key, 'seal', seal)) yield `Seal ${seal._id} was changed.`
}
