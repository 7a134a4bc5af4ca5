import { rawCollection } from '../mongo/collection.ts'
import type { Deps } from '../platform/deps.ts'
import { assumedWarningMs, undeletedFilter } from '../webhooks/endpoints/endpoint.ts'
import type { Pacer } from '../work/pace.ts'

export type StepDeps = Pick<Deps, 'Endpoint' | 'Person' | 'PersonSession' | 'Invitation'>

export interface Step {
  name: string
  /** Repeated at each release. Returns the number of changed documents. */
  run(deps: StepDeps, pace: Pacer): Promise<number>
}

/** The lease lasts longer than a batch. */
const batchSize = 500

/** A number is never used again (CONTRIBUTING.md, "Stored documents"). */
export const steps: Record<number, Step> = {
  1: { name: 'add reportedFailure.reportedAt to endpoints', run: addReportedAt },
  2: { name: 'create the collections of people', run: expectCollections },
}

/** The release creates all collections first. Without the unique index, two people could have one name. */
async function expectCollections({ Person, PersonSession, Invitation }: StepDeps): Promise<number> {
  for (const { collection } of [Person, PersonSession, Invitation]) await collection.indexInformation()
  return 0
}

async function addReportedAt({ Endpoint }: StepDeps, pace: Pacer): Promise<number> {
  const endpoints = rawCollection(Endpoint)
  const old = {
    ...undeletedFilter,
    'reportedFailure.since': { $type: 'date' },
    'reportedFailure.reportedAt': null,
  }
  const reportedAt = { $add: ['$reportedFailure.since', assumedWarningMs] }
  const changeBatch = async (): Promise<number> => {
    const found = await endpoints
      .find(old, { projection: { _id: 1 }, hint: 'reported', limit: batchSize })
      .toArray()
    if (found.length === 0) return 0
    const ids = found.map(({ _id }) => _id)
    const set = [{ $set: { 'reportedFailure.reportedAt': reportedAt } }]
    await endpoints.updateMany({ ...old, _id: { $in: ids } }, set)
    return found.length
  }
  let changed = 0
  for (let count = 1; count > 0; changed += count) count = await pace(changeBatch)
  return changed
}
