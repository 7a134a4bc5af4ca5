import { declareCollection, type Stored } from '../mongo/declare.ts'
import { anything, date, list, orNull, text } from '../mongo/fields.ts'
import { type IdPage, type IdPageRequest, readPageById } from '../mongo/id-page.ts'
import type { Models } from '../platform/deps.ts'
import { actorFields } from '../security/actor.ts'
import type { PaymentOrRefund } from './provider-file.ts'

export const fileDifferenceKinds = [
  'missing here',
  'missing there',
  'other amount',
  'other fee',
  'other day',
  'other kind',
  'repeated there',
] as const
export type FileDifferenceKind = (typeof fileDifferenceKinds)[number]

/** `here` or `there` is null if that side lacks the key. */
export interface FileDifference {
  difference: FileDifferenceKind
  key: string
  kind: PaymentOrRefund | null
  here: number | string | null
  there: number | string | null
  line: number | null
  reference: string | null
  businessId: string | null
}

export interface ReconcileCounts {
  rows: number
  recorded: number
  matched: number
  differences: Record<FileDifferenceKind, number>
}

export const maxStoredDifferences = 1000

export const reconciliations = declareCollection({
  name: 'reconciliations',
  kept: 'forever',
  fields: {
    _id: text,
    day: text,
    /** If null, all live wallets are compared. */
    wallet: orNull(text),
    fileName: text,
    sha256: text,
    at: date,
    actor: actorFields,
    counts: anything<ReconcileCounts>(),
    differences: list(anything<FileDifference>()),
  },
  indexes: [],
})
export type Reconciliation = Stored<typeof reconciliations>

export const countDifferences = ({ differences }: ReconcileCounts): number =>
  Object.values(differences).reduce((sum, count) => sum + count, 0)

type Reads = Pick<Models, 'Reconciliation'>
export type ListedReconciliation = Omit<Reconciliation, 'differences'>

export const findReconciliations = (
  deps: Reads,
  slice: IdPageRequest,
): Promise<IdPage<ListedReconciliation>> =>
  readPageById<ListedReconciliation>(deps.Reconciliation as never, {}, slice, { fields: { differences: 0 } })

export const findReconciliation = (deps: Reads, id: string, start: number, size: number) =>
  deps.Reconciliation.findById(id, { differences: { $slice: [start, size] } }).lean<Reconciliation | null>()
