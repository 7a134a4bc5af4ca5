import type { Models } from '../mongo/models.ts'
import type { Pace } from '../retention/pace.ts'
import {
  type Difference,
  differenceKinds,
  differencesOf,
  missingHere,
  missingThere,
  repeatedThere,
} from './differences.ts'
import { type FileFormat, type RowFaults, readFile } from './read-file.ts'
import type { Counts, Reconciliation } from './reconciliation.ts'
import type { FoundKey, Recorded } from './recorded.ts'
import { findKeys, recordedIn } from './recorded-in.ts'
import type { Row } from './rows.ts'

/** The number of rows whose keys are looked up together. */
const rowsPerLookUp = 250
/** The maximum number of differences that are listed. With more, the file or its columns are probably wrong. */
export const maxListed = 10_000
const dayMs = 86_400_000

/**
 * Compares a file with the records of a day. Memory grows with the number of records of the day, but not with the size
 * of the file. Returns the faulty rows if there are any.
 */
export async function compareFile(
  deps: Pick<Models, 'Business' | 'Intent'> & { pace: Pace },
  { day, wallet }: Pick<Reconciliation, 'day' | 'wallet'>,
  bytes: AsyncIterable<Uint8Array>,
  format: FileFormat,
): Promise<{ counts: Counts; differences: Difference[] } | RowFaults> {
  const from = new Date(`${day}T00:00:00Z`)
  const unseen = new Map<string, Recorded>()
  const seen = new Map<string, Recorded>()
  const none = Object.fromEntries(differenceKinds.map((kind) => [kind, 0])) as Counts['differences']
  const counts: Counts = { rows: 0, recorded: 0, matched: 0, differences: none }
  const differences: Difference[] = []
  // The records are read only when the beginning of the file proves to be usable.
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
      if (differences.length < maxListed) differences.push(each)
    }
  }
  const differencesOfDay = (row: Row, recorded: Recorded): Difference[] => {
    if (!unseen.delete(row.key)) return [repeatedThere(row, recorded)]
    seen.set(row.key, recorded)
    return differencesOf(day, row, recorded)
  }
  const take = async (rows: Row[]): Promise<void> => {
    await load()
    const onDay = (key: string): Recorded | undefined => unseen.get(key) ?? seen.get(key)
    const unknown = rows.map(({ key }) => key).filter((key) => onDay(key) === undefined)
    const elsewhere =
      unknown.length === 0 ? new Map<string, FoundKey>() : await deps.pace(() => findKeys(deps, unknown, wallet))
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
  const faults = await readFile(bytes, format, rowsPerLookUp, take)
  if (faults.count > 0) return faults
  await load()
  for (const recorded of unseen.values()) add([missingThere(recorded)])
  return { counts, differences }
}
