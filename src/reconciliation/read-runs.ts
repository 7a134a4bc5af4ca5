import { type IdPage, type IdPageRequest, readIdPage, sortOrders } from '../mongo/id-page.ts'
import type { Models } from '../platform/deps.ts'
import type { Reconciliation } from './reconciliation.ts'

type Reads = Pick<Models, 'Reconciliation'>
export type ListedRun = Omit<Reconciliation, 'differences'>

/** Leaves out the differences. */
export const listRuns = (deps: Reads, slice: IdPageRequest): Promise<IdPage<ListedRun>> =>
  readIdPage<ListedRun>(deps.Reconciliation as never, {}, slice, sortOrders.newestFirst, { differences: 0 })

/** Contains up to `size` of the stored differences, from `start` on. */
export const findRun = (
  deps: Reads,
  id: string,
  start: number,
  size: number,
): Promise<Reconciliation | null> =>
  deps.Reconciliation.findById(id, { differences: { $slice: [start, size] } }).lean<Reconciliation | null>()
