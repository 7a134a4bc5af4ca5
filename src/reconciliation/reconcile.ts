import { createHash } from 'node:crypto'
import { type AuditedDeps, audited } from '../audit/audited.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Models } from '../platform/deps.ts'
import { newId } from '../platform/ids.ts'
import { dayMs, dayOf } from '../platform/time.ts'
import type { By } from '../security/actor.ts'
import { createPace, type Pace } from '../work/pace.ts'
import { type FileFormat, type ProviderRow, type RowErrors, readProviderFile } from './provider-file.ts'
import type { Difference, DifferenceKind, Reconciliation, RunCounts } from './reconciliation.ts'
import { differenceCount, differenceKinds, maxStoredDifferences } from './reconciliation.ts'
import { type FoundWalletKey, findKeys, type MoneyRecord, recordedIn } from './recorded.ts'

interface ReconcileInput extends Pick<Reconciliation, 'day' | 'wallet' | 'fileName'> {
  bytes: AsyncIterable<Uint8Array>
  format: FileFormat
}

export type ReconciliationResult = Pick<Reconciliation, 'sha256' | 'counts' | 'differences'> & { id: string }

/** Only returns the errors if rows are invalid. Throws UnreadableFile. */
export async function reconcile(
  deps: Pick<Models, 'Business' | 'Intent' | 'Reconciliation'> & AuditedDeps,
  { day, wallet, fileName, bytes, format }: ReconcileInput,
  by: By,
): Promise<ReconciliationResult | RowErrors> {
  const hash = createHash('sha256')
  const hashed = async function* () {
    for await (const piece of bytes) {
      hash.update(piece)
      yield piece
    }
  }
  const compared = await compareFile({ ...deps, pace: createPace() }, { day, wallet }, hashed(), format)
  if ('listed' in compared) return compared
  const { counts, differences } = compared
  const sha256 = hash.digest('hex')
  const stored = differences.slice(0, maxStoredDifferences)
  const run = { day, wallet, fileName, sha256, counts, differences: stored, actor: by.actor }
  const after = { day, file: fileName, sha256, matched: counts.matched, differences: differenceCount(counts) }
  return audited(deps, { documents: [], by }, async ({ session, at, add }) => {
    const id = newId()
    await nativeCollection(deps.Reconciliation).insertOne({ _id: id, ...run, at }, { session })
    await add({ act: 'reconciliation.run', subject: id, businessId: null, after })
    return { id, sha256, counts, differences }
  })
}

const rowsPerLookUp = 250
const maxListedDifferences = 10_000

/** Memory grows with the records of the day, not with the file. */
async function compareFile(
  deps: Pick<Models, 'Business' | 'Intent'> & { pace: Pace },
  { day, wallet }: Pick<Reconciliation, 'day' | 'wallet'>,
  bytes: AsyncIterable<Uint8Array>,
  format: FileFormat,
): Promise<{ counts: RunCounts; differences: Difference[] } | RowErrors> {
  const from = new Date(`${day}T00:00:00Z`)
  const records = new Map<string, MoneyRecord>()
  const seen = new Set<string>()
  const none = Object.fromEntries(differenceKinds.map((kind) => [kind, 0])) as RunCounts['differences']
  const counts: RunCounts = { rows: 0, recorded: 0, matched: 0, differences: none }
  const differences: Difference[] = []
  const load = async (): Promise<void> => {
    const period = { from, to: new Date(from.getTime() + dayMs) }
    for await (const recorded of recordedIn(deps, period, wallet))
      for (const each of recorded) records.set(each.key, each)
    counts.recorded = records.size
  }
  // Reads the records only once the beginning of the file proves usable.
  let loading: Promise<void> | undefined
  const ensureLoaded = () => (loading ??= load())
  const add = (found: readonly Difference[]): void => {
    for (const each of found) {
      counts.differences[each.difference] += 1
      if (differences.length < maxListedDifferences) differences.push(each)
    }
  }
  const compareRow = (row: ProviderRow, elsewhere: FoundWalletKey | undefined): Difference[] => {
    const own = records.get(row.key)
    if (own && seen.has(row.key)) return [repeatedThere(row, own)]
    if (own) seen.add(row.key)
    const recorded = own ?? elsewhere?.recorded
    return recorded ? differencesOf(day, row, recorded) : [missingHere(row, elsewhere)]
  }
  const take = async (rows: ProviderRow[]): Promise<void> => {
    await ensureLoaded()
    const unknown = rows.map(({ key }) => key).filter((key) => !records.has(key))
    const elsewhere = await deps.pace(() => findKeys(deps, unknown, wallet))
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

/** Reports a day other than `day` even if both sides agree on it. */
function differencesOf(day: string, row: ProviderRow, recorded: MoneyRecord): Difference[] {
  const { key, line } = row
  const { reference, businessId, kind } = recorded
  const [ourDay, theirDay] = [dayOf(recorded.at), dayOf(row.at)]
  const found: [DifferenceKind, here: Difference['here'], there: Difference['there'], differs: boolean][] = [
    ['other amount', recorded.amount, row.amount, row.amount !== recorded.amount],
    ['other fee', recorded.fee, row.fee, row.fee !== null && row.fee !== recorded.fee],
    ['other kind', recorded.kind, row.kind, row.kind !== null && row.kind !== recorded.kind],
    ['other day', ourDay, theirDay, ourDay !== day || theirDay !== day],
  ]
  return found
    .filter(([, , , differs]) => differs)
    .map(([difference, here, there]) => ({ difference, key, kind, here, there, line, reference, businessId }))
}

function missingHere({ key, kind, amount: there, line }: ProviderRow, found?: FoundWalletKey): Difference {
  const { reference, businessId } = found ?? { reference: null, businessId: null }
  return { difference: 'missing here', key, kind, here: null, there, line, reference, businessId }
}

function missingThere({ key, kind, amount: here, reference, businessId }: MoneyRecord): Difference {
  return { difference: 'missing there', key, kind, here, there: null, line: null, reference, businessId }
}

function repeatedThere({ key, amount: there, line }: ProviderRow, recorded: MoneyRecord): Difference {
  return { ...missingThere(recorded), difference: 'repeated there', key, there, line }
}
