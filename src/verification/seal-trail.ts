import type { KeyObject } from 'node:crypto'
import { isNumber } from '../chains/append.ts'
import type { LedgerEntry } from '../ledger/entry.ts'
import { isDuplicate, nativeCollection } from '../mongo/collection.ts'
import type { Models } from '../platform/deps.ts'
import type { Log } from '../platform/log.ts'
import type { Secrets } from '../security/encrypt.ts'
import { ensureServiceKey, findServiceKey } from '../security/service-keys.ts'
import type { Pace } from '../work/pace.ts'
import { digestOf, digestOfLine, headOf, linesPerSeal, readableSeal, type Seal } from './seal.ts'

export type SealDeps = Pick<Models, 'AuditEvent' | 'AuditSeal' | 'ServiceKey'> & {
  secrets: Secrets
  log: Log
  now(): Date
}

/** An array that contains null would match `seal: null`. */
const unmarked = { seal: { $eq: null, $not: { $type: 'array' } } } as const
const hourMs = 3_600_000

/**
 * Matches all lines but those whose hour has just ended or has not ended yet: an act may still be counted in them. One
 * that claims to be open for longer than an hour is forged, and is sealed like any other line.
 */
const closed = (now: number) => ({
  closesAt: { $not: { $gt: new Date(now - hourMs), $lt: new Date(now + 2 * hourMs) } },
})

/** MongoDB aborts a read after this time, which is less than the 5 s after which the driver gives up. */
const maxTimeMS = 4_000

/**
 * Seals all closed lines of the audit trail that have no seal yet, and the last entries of ledgers (`heads`). Lines are
 * sealed as soon as their seal is inserted. The number of a seal is unique, so if two processes seal concurrently, one
 * of them starts again. Before it reads lines, each process marks the lines of the last seal, so a line gets into only
 * one seal, even if the process that inserted the seal was killed before it marked its lines. Each seal is logged, so
 * that its digest also exists outside MongoDB. Returns the audit key.
 */
export async function sealTrail(
  deps: SealDeps,
  pace: Pace,
  limit = linesPerSeal,
  heads: LedgerEntry[] = [],
): Promise<KeyObject> {
  const key = await keyFor(deps)
  const lines = nativeCollection(deps.AuditEvent)
  for (;;) {
    const last = await lastSeal(deps)
    if (last !== null) await pace(() => markLines(deps, last))
    const unsealed = await pace(() =>
      lines.find({ ...unmarked, ...closed(deps.now().getTime()) }, { sort: { _id: 1 }, limit, maxTimeMS }).toArray(),
    )
    const ledgers = heads.slice(0, limit).map((entry) => headOf(key, entry))
    if (unsealed.length + ledgers.length === 0) return key
    const seal = {
      _id: (last?._id ?? 0) + 1,
      at: deps.now(),
      ids: unsealed.map(({ _id }) => _id),
      digests: unsealed.map((line) => digestOfLine(key, line)),
      ...(ledgers.length === 0 ? {} : { heads: ledgers }),
      previous: last?.digest ?? null,
    }
    const digest = digestOf(key, 'seal', seal)
    try {
      await nativeCollection(deps.AuditSeal).insertOne({ ...seal, digest })
      heads.splice(0, limit)
      deps.log.info({ number: seal._id, lines: seal.ids.length, digest }, 'audit.sealed')
    } catch (error) {
      // Another process has inserted a seal with this number.
      if (!isDuplicate(error)) throw error
    }
  }
}

/** Returns the audit key. A key is created only for the first seal, because a new key could not verify old seals. */
async function keyFor(deps: SealDeps) {
  const found = await findServiceKey(deps, 'audit')
  if (found !== null) return found
  if ((await lastSeal(deps)) !== null) throw new Error('the audit key is missing, although there are seals')
  return ensureServiceKey(deps, 'audit')
}

const lastSeal = async ({ AuditSeal }: Pick<SealDeps, 'AuditSeal'>): Promise<Seal | null> =>
  readableSeal(await nativeCollection(AuditSeal).findOne({ _id: isNumber }, { sort: { _id: -1 }, maxTimeMS }))

/** Marks the lines of a seal. This is the only change to a sealed line, and marking a line again changes nothing. */
const markLines = ({ AuditEvent }: Pick<SealDeps, 'AuditEvent'>, { _id, ids }: Seal): Promise<unknown> =>
  nativeCollection(AuditEvent).updateMany({ _id: { $in: ids }, seal: null }, { $set: { seal: _id } })
