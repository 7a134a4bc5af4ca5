import { createHash } from 'node:crypto'
import { type AuditedDeps, audited } from '../audit/audited.ts'
import { dayOf } from '../ledger/entry.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Models } from '../platform/deps.ts'
import { newId } from '../platform/ids.ts'
import type { By } from '../security/actor.ts'
import { createPace, type Pace } from '../work/pace.ts'
import { type FileFormat, type ProviderRow, type RowFaults, readProviderFile } from './read-file.ts'
import {
  type Counts,
  type Difference,
  type DifferenceKind,
  differenceCount,
  differenceKinds,
  maxStoredDifferences,
  type Reconciliation,
} from './reconciliation.ts'
import { type FoundWalletKey, findKeys, type MoneyRecord, recordedIn } from './recorded.ts'

export interface ReconcileInput extends Pick<Reconciliation, 'day' | 'wallet' | 'fileName'> {
  bytes: AsyncIterable<Uint8Array>
  format: FileFormat
}

export interface Reconciled extends Pick<Reconciliation, 'sha256' | 'counts' | 'differences'> {
  id: string
}

/**
 * Compares a provider's file with the live payments and refunds that we recorded on one UTC day, and stores the run
 * with its audit line. If rows are faulty, returns them and stores nothing. Throws FileFault if the file as a whole
 * can't be read.
 */
export async function reconcile(
  deps: Pick<Models, 'Business' | 'Intent' | 'Reconciliation'> & AuditedDeps,
  { day, wallet, fileName, bytes, format }: ReconcileInput,
  by: By,
): Promise<Reconciled | RowFaults> {
  const hash = createHash('sha256')
  const hashed = async function* () {
    for await (const piece of bytes) {
      hash.update(piece)
      yield piece
    }
  }
  const pace = createPace(new AbortController().signal, async () => undefined)
  const compared = await compareFile({ ...deps, pace }, { day, wallet }, hashed(), format)
  if ('listed' in compared) return compared
  const { counts, differences } = compared
  const sha256 = hash.digest('hex')
  const run = {
    day,
    wallet,
    fileName,
    sha256,
    counts,
    differences: differences.slice(0, maxStoredDifferences),
  }
  const after = { day, file: fileName, sha256, matched: counts.matched, differences: differenceCount(counts) }
  return audited(deps, { documents: [], by }, async ({ session, at, add }) => {
    const id = newId()
    await nativeCollection(deps.Reconciliation).insertOne(
      { _id: id, ...run, at, actor: by.actor },
      { session },
    )
    await add({ act: 'reconciliation.run', subject: id, businessId: null, after })
    return { id, sha256, counts, differences }
  })
}

const rowsPerLookUp = 250
/** With more, the file or its columns are probably wrong. */
export const maxListedDifferences = 10_000
const dayMs = 86_400_000

/** Memory grows with the records of the day, not with the file. Returns the faulty rows if there are any. */
async function compareFile(
  deps: Pick<Models, 'Business' | 'Intent'> & { pace: Pace },
  { day, wallet }: Pick<Reconciliation, 'day' | 'wallet'>,
  bytes: AsyncIterable<Uint8Array>,
  format: FileFormat,
): Promise<{ counts: Counts; differences: Difference[] } | RowFaults> {
  const from = new Date(`${day}T00:00:00Z`)
  const unseen = new Map<string, MoneyRecord>()
  const seen = new Map<string, MoneyRecord>()
  const none = Object.fromEntries(differenceKinds.map((kind) => [kind, 0])) as Counts['differences']
  const counts: Counts = { rows: 0, recorded: 0, matched: 0, differences: none }
  const differences: Difference[] = []
  // Read the records only once the beginning of the file proves usable.
  let isLoaded = false
  const load = async (): Promise<void> => {
    if (isLoaded) return
    isLoaded = true
    const period = { from, to: new Date(from.getTime() + dayMs) }
    for await (const recorded of recordedIn(deps, period, wallet))
      for (const each of recorded) unseen.set(each.key, each)
    counts.recorded = unseen.size
  }
  const add = (found: readonly Difference[]): void => {
    for (const each of found) {
      counts.differences[each.difference] += 1
      if (differences.length < maxListedDifferences) differences.push(each)
    }
  }
  const differencesOfDay = (row: ProviderRow, recorded: MoneyRecord): Difference[] => {
    if (!unseen.delete(row.key)) return [repeatedThere(row, recorded)]
    seen.set(row.key, recorded)
    return differencesOf(day, row, recorded)
  }
  const take = async (rows: ProviderRow[]): Promise<void> => {
    await load()
    const onDay = (key: string): MoneyRecord | undefined => unseen.get(key) ?? seen.get(key)
    const unknown = rows.map(({ key }) => key).filter((key) => onDay(key) === undefined)
    const elsewhere =
      unknown.length === 0
        ? new Map<string, FoundWalletKey>()
        : await deps.pace(() => findKeys(deps, unknown, wallet))
    for (const row of rows) {
      const recorded = onDay(row.key)
      const found = elsewhere.get(row.key)
      const ofRow =
        recorded !== undefined
          ? differencesOfDay(row, recorded)
          : found?.recorded
            ? differencesOf(day, row, found.recorded)
            : [missingHere(row, found)]
      counts.rows += 1
      if (ofRow.length === 0) counts.matched += 1
      add(ofRow)
    }
  }
  const faults = await readProviderFile(bytes, format, rowsPerLookUp, take)
  if (faults.count > 0) return faults
  await load()
  for (const recorded of unseen.values()) add([missingThere(recorded)])
  return { counts, differences }
}

/** A day other than `day` is a difference too, even if both sides agree on it. */
function differencesOf(day: string, row: ProviderRow, recorded: MoneyRecord): Difference[] {
  const { key, line } = row
  const { reference, businessId, kind } = recorded
  type Value = Difference['here']
  const difference = (
    name: DifferenceKind,
    here: Value,
    there: Value,
    differs = here !== there,
  ): Difference[] =>
    differs ? [{ difference: name, key, kind, here, there, line, reference, businessId }] : []
  const days = [dayOf(recorded.at), dayOf(row.at)] as const
  const isOtherDay = days.some((each) => each !== day)
  return [
    ...difference('other amount', recorded.amount, row.amount),
    ...(row.fee === null ? [] : difference('other fee', recorded.fee, row.fee)),
    ...(row.kind === null ? [] : difference('other kind', recorded.kind, row.kind)),
    ...difference('other day', ...days, isOtherDay),
  ]
}

/** For a key that succeeded only at the provider. */
function missingHere(
  { key, kind, amount: there, line }: ProviderRow,
  found: FoundWalletKey | undefined,
): Difference {
  const { reference, businessId } = found ?? { reference: null, businessId: null }
  return { difference: 'missing here', key, kind, here: null, there, line, reference, businessId }
}

function missingThere({ key, kind, amount: here, reference, businessId }: MoneyRecord): Difference {
  return { difference: 'missing there', key, kind, here, there: null, line: null, reference, businessId }
}

/** For a key that is in an earlier row as well. */
function repeatedThere({ key, amount: there, line }: ProviderRow, recorded: MoneyRecord): Difference {
  return { ...missingThere(recorded), difference: 'repeated there', key, there, line }
}
