import { createHash } from 'node:crypto'
import { type AuditedDeps, runAudited } from '../audit/audited.ts'
import { rawCollection } from '../mongo/collection.ts'
import type { Models } from '../platform/deps.ts'
import { newId } from '../platform/ids.ts'
import { dayMs, toUtcDay } from '../platform/time.ts'
import type { Author } from '../security/actor.ts'
import { createPacer, type Pacer } from '../work/pace.ts'
import {
  type ProviderFileFormat,
  type ProviderRow,
  type ProviderRowErrors,
  readProviderFile,
} from './provider-file.ts'
import type { FileDifference, ReconcileCounts, Reconciliation } from './reconciliation.ts'
import { countDifferences, fileDifferenceKinds, maxStoredDifferences } from './reconciliation.ts'
import { type FoundWalletKey, findWalletKeys, type MoneyRecord, readMoneyRecords } from './recorded.ts'

interface ReconcileInput extends Pick<Reconciliation, 'day' | 'wallet' | 'fileName'> {
  bytes: AsyncIterable<Uint8Array>
  format: ProviderFileFormat
}

export type ReconciliationResult = Pick<Reconciliation, 'sha256' | 'counts' | 'differences'> & { id: string }

/** If any row is invalid, only returns the errors. Throws UnreadableFile. */
export async function reconcileFile(
  deps: Pick<Models, 'Business' | 'Intent' | 'Reconciliation'> & AuditedDeps,
  { day, wallet, fileName, bytes, format }: ReconcileInput,
  by: Author,
): Promise<ReconciliationResult | ProviderRowErrors> {
  const hash = createHash('sha256')
  const hashed = async function* () {
    for await (const piece of bytes) {
      hash.update(piece)
      yield piece
    }
  }
  const compared = await compareFile({ ...deps, pace: createPacer() }, { day, wallet }, hashed(), format)
  if ('listed' in compared) return compared
  const { counts, differences } = compared
  const sha256 = hash.digest('hex')
  const stored = differences.slice(0, maxStoredDifferences)
  const run = { day, wallet, fileName, sha256, counts, differences: stored, actor: by.actor }
  const after = {
    day,
    file: fileName,
    sha256,
    matched: counts.matched,
    differences: countDifferences(counts),
  }
  return runAudited(deps, { documents: [], by }, async ({ session, at, add }) => {
    const id = newId()
    await rawCollection(deps.Reconciliation).insertOne({ _id: id, ...run, at }, { session })
    await add({ act: 'reconciliation.run', subject: id, businessId: null, after })
    return { id, sha256, counts, differences }
  })
}

const rowsPerLookUp = 250
const maxListedDifferences = 10_000

/** Memory use grows with the day's records, not with the file. */
async function compareFile(
  deps: Pick<Models, 'Business' | 'Intent'> & { pace: Pacer },
  { day, wallet }: Pick<Reconciliation, 'day' | 'wallet'>,
  bytes: AsyncIterable<Uint8Array>,
  format: ProviderFileFormat,
): Promise<{ counts: ReconcileCounts; differences: FileDifference[] } | ProviderRowErrors> {
  const from = new Date(`${day}T00:00:00Z`)
  const records = new Map<string, MoneyRecord>()
  const seen = new Set<string>()
  const none = Object.fromEntries(
    fileDifferenceKinds.map((kind) => [kind, 0]),
  ) as ReconcileCounts['differences']
  const counts: ReconcileCounts = { rows: 0, recorded: 0, matched: 0, differences: none }
  const differences: FileDifference[] = []
  const load = async (): Promise<void> => {
    const period = { from, to: new Date(from.getTime() + dayMs) }
    for await (const recorded of readMoneyRecords(deps, period, wallet))
      for (const each of recorded) records.set(each.key, each)
    counts.recorded = records.size
  }
  // Don't load the records until we know that the file is readable.
  let loading: Promise<void> | undefined
  const ensureLoaded = () => (loading ??= load())
  const add = (found: readonly FileDifference[]): void => {
    for (const each of found) {
      counts.differences[each.difference] += 1
      if (differences.length < maxListedDifferences) differences.push(each)
    }
  }
  const compareRow = (row: ProviderRow, elsewhere: FoundWalletKey | undefined): FileDifference[] => {
    const own = records.get(row.key)
    if (own && seen.has(row.key)) return [repeatedThere(row, own)]
    if (own) seen.add(row.key)
    const recorded = own ?? elsewhere?.recorded
    return recorded ? differencesOf(day, row, recorded) : [missingHere(row, elsewhere)]
  }
  const take = async (rows: ProviderRow[]): Promise<void> => {
    await ensureLoaded()
    const unknown = rows.map(({ key }) => key).filter((key) => !records.has(key))
    const elsewhere = await deps.pace(() => findWalletKeys(deps, unknown, wallet))
    for (const row of rows) {
      const found = compareRow(row, elsewhere.get(row.key))
      counts.rows += 1
      if (found.length === 0) counts.matched += 1
      add(found)
    }
  }
  const errors = await readProviderFile(bytes, format, rowsPerLookUp, take)
  if (errors.count > 0) return errors
  await ensureLoaded()
  for (const [key, recorded] of records) if (!seen.has(key)) add([missingThere(recorded)])
  return { counts, differences }
}

/** Reports any day other than `day`, even if both sides agree on it. */
function differencesOf(day: string, row: ProviderRow, recorded: MoneyRecord): FileDifference[] {
  const { key, line } = row
  const { reference, businessId, kind } = recorded
  const [ourDay, theirDay] = [toUtcDay(recorded.at), toUtcDay(row.at)]
  const found = [
    ['other amount', recorded.amount, row.amount, row.amount !== recorded.amount],
    ['other fee', recorded.fee, row.fee, row.fee !== null && row.fee !== recorded.fee],
    ['other kind', recorded.kind, row.kind, row.kind !== null && row.kind !== recorded.kind],
    ['other day', ourDay, theirDay, ourDay !== day || theirDay !== day],
  ] as const
  return found
    .filter(([, , , differs]) => differs)
    .map(([difference, here, there]) => ({ difference, key, kind, here, there, line, reference, businessId }))
}

function missingHere(
  { key, kind, amount: there, line }: ProviderRow,
  found?: FoundWalletKey,
): FileDifference {
  const { reference, businessId } = found ?? { reference: null, businessId: null }
  return { difference: 'missing here', key, kind, here: null, there, line, reference, businessId }
}

function missingThere({ key, kind, amount: here, reference, businessId }: MoneyRecord): FileDifference {
  return { difference: 'missing there', key, kind, here, there: null, line: null, reference, businessId }
}

function repeatedThere({ key, amount: there, line }: ProviderRow, recorded: MoneyRecord): FileDifference {
  return { ...missingThere(recorded), difference: 'repeated there', key, there, line }
}
