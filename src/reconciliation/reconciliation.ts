import { declareCollection, type Stored } from '../mongo/declare.ts'
import { anything, date, list, orNull, text } from '../mongo/fields.ts'
import { type IdPage, type IdPageRequest, readIdPage, sortOrders } from '../mongo/id-page.ts'
import type { Models } from '../platform/deps.ts'
import { actorFields } from '../security/actor.ts'
import type { MoneyKind } from './read-file.ts'

export const differenceKinds = [
  'missing here',
  'missing there',
  'other amount',
  'other fee',
  'other day',
  'other kind',
  'repeated there',
] as const
export type DifferenceKind = (typeof differenceKinds)[number]

/**
 * `here` and `there` are the values that differ: centimes, days (`2026-11-25`) or kinds. If one side lacks the key,
 * it's null, and the other one is the amount.
 */
export interface Difference {
  difference: DifferenceKind
  key: string
  kind: MoneyKind | null
  here: number | string | null
  there: number | string | null
  /** Line of the file; null if the file lacks the key. */
  line: number | null
  /** Null if we don't know the key. */
  reference: string | null
  businessId: string | null
}

export interface Counts {
  /** In the file. */
  rows: number
  /** In our database. */
  recorded: number
  matched: number
  differences: Record<DifferenceKind, number>
}

export const maxStoredDifferences = 1000

/** Runs are kept forever, because there are few. */
export const reconciliations = declareCollection({
  name: 'reconciliations',
  kept: 'forever',
  fields: {
    _id: text,
    day: text,
    /** Null compares all live wallets. */
    wallet: orNull(text),
    fileName: text,
    sha256: text,
    at: date,
    actor: actorFields,
    counts: anything<Counts>(),
    differences: list(anything<Difference>()),
  },
  indexes: [],
})
export type Reconciliation = Stored<typeof reconciliations>

export const differenceCount = ({ differences }: Counts): number =>
  Object.values(differences).reduce((sum, count) => sum + count, 0)

export type ListedRun = Omit<Reconciliation, 'differences'>

/** Leaves out the differences. */
export const listRuns = (
  deps: Pick<Models, 'Reconciliation'>,
  slice: IdPageRequest,
): Promise<IdPage<ListedRun>> =>
  readIdPage<ListedRun>(deps.Reconciliation as never, {}, slice, sortOrders.newestFirst, { differences: 0 })

/** Contains up to `size` of the stored differences, from `start` on. */
export const findRun = (
  deps: Pick<Models, 'Reconciliation'>,
  id: string,
  start: number,
  size: number,
): Promise<Reconciliation | null> =>
  deps.Reconciliation.findById(id, { differences: { $slice: [start, size] } }).lean<Reconciliation | null>()
