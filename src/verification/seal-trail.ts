import type { KeyObject } from 'node:crypto'
import { numberFilter } from '../chains/append.ts'
import type { LedgerEntry } from '../ledger/entry.ts'
import { isDuplicateKey, rawCollection } from '../mongo/collection.ts'
import { readTimeoutMs as maxTimeMS } from '../mongo/connect.ts'
import type { Models } from '../platform/deps.ts'
import type { Log } from '../platform/log.ts'
import { hourMs } from '../platform/time.ts'
import type { Encrypter } from '../security/encrypt.ts'
import { ensureServiceKey, findServiceKey } from '../security/service-keys.ts'
import type { Pacer } from '../work/pace.ts'
import * as seals from './seal.ts'

export type SealDeps = Pick<Models, 'AuditEvent' | 'AuditSeal' | 'ServiceKey'> & {
  secrets: Encrypter
  log: Log
  now(): Date
}

/** `seal: null` would also match an array that contains null. */
const unmarked = { seal: { $eq: null, $not: { $type: 'array' } } } as const

/** Lines of the current hour stay unsealed, because they may still change. */
const closed = (now: number) => ({
  closesAt: { $not: { $gt: new Date(now - hourMs), $lt: new Date(now + 2 * hourMs) } },
})

/** After a seal with a forged number, all further ones may be duplicates. */
const maxDuplicates = 100

/**
 * Logs each digest, because a copy must exist outside MongoDB. First marks
 * the lines of the last seal, because a killed process may not have.
 */
export async function sealAuditTrail(
  deps: SealDeps,
  pace: Pacer,
  heads: LedgerEntry[] = [],
  limit = seals.linesPerSeal,
): Promise<KeyObject> {
  const key = await keyFor(deps)
  const lines = rawCollection(deps.AuditEvent)
  for (let duplicates = 0; duplicates < maxDuplicates; ) {
    const last = await lastSeal(deps)
    if (last !== null) await pace(() => markLines(deps, last))
    const unsealed = await pace(() =>
      lines
        .find({ ...unmarked, ...closed(deps.now().getTime()) }, { sort: { _id: 1 }, limit, maxTimeMS })
        .toArray(),
    )
    const ledgers = heads.slice(0, limit).map((entry) => seals.digestHead(key, entry))
    if (unsealed.length + ledgers.length === 0) return key
    const seal = {
      _id: (last?._id ?? 0) + 1,
      at: deps.now(),
      ids: unsealed.map(({ _id }) => _id),
      digests: unsealed.map((line) => seals.digestAuditLine(key, line)),
      ...(ledgers.length === 0 ? {} : { heads: ledgers }),
      previous: last?.digest ?? null,
    }
    const digest = seals.digestRecord(key, 'seal', seal)
    try {
      await rawCollection(deps.AuditSeal).insertOne({ ...seal, digest })
      heads.splice(0, limit)
      deps.log.info({ number: seal._id, lines: seal.ids.length, digest }, 'audit.sealed')
    } catch (error) {
      if (!isDuplicateKey(error)) throw error
      duplicates += 1
    }
  }
  return key
}

/** A new key can't verify old seals, so only an empty trail gets one. */
async function keyFor(deps: SealDeps) {
  // Another process may create the key and a seal at the same time.
  const last = await lastSeal(deps)
  const found = await findServiceKey(deps, 'audit')
  if (found !== null) return found
  if (last !== null) throw new Error('the audit key is missing, although there are seals')
  return ensureServiceKey(deps, 'audit')
}

const lastSeal = async ({ AuditSeal }: Pick<SealDeps, 'AuditSeal'>): Promise<seals.StoredSeal | null> =>
  seals.sanitiseSeal(
    await rawCollection(AuditSeal).findOne({ _id: numberFilter }, { sort: { _id: -1 }, maxTimeMS }),
  )

const markLines = ({ AuditEvent }: Pick<SealDeps, 'AuditEvent'>, { _id, ids }: seals.StoredSeal) =>
  rawCollection(AuditEvent).updateMany({ _id: { $in: ids }, seal: null }, { $set: { seal: _id } })
