import type { Model } from 'mongoose'
import { rawCollection } from '../mongo/collection.ts'
import { runInFairBatches } from '../mongo/in-batches.ts'
import type { Deps } from '../platform/deps.ts'
import { settleAll } from '../webhooks/attempts/attempt-due.ts'
import { outboxIdLists, outboxModelNames, type RelayDeps, relayOutboxes } from './relay.ts'

/** Younger events are skipped, because their wake-up job may still arrive. */
const graceMs = 1_500
const maxPerBusiness = 1_000

type Unrelayed = { _id: string; businessId: string }

/** Relays the oldest events first. Returns the number of documents. */
export async function pollOutboxes(
  deps: RelayDeps & Pick<Deps, 'Intent' | 'Order' | 'Endpoint'>,
  perBusiness = maxPerBusiness,
): Promise<number> {
  const latest = new Date(deps.now().getTime() - graceMs)
  const found = await settleAll(
    outboxIdLists.map((list) =>
      runInFairBatches<Unrelayed>(
        perBusiness,
        (_, without) =>
          rawCollection(deps[outboxModelNames[list]] as unknown as Model<Unrelayed>).find(
            { 'outbox.createdAt': { $lte: latest }, businessId: { $nin: [...without] } },
            { projection: { businessId: 1 }, hint: 'withOutbox', sort: { 'outbox.createdAt': 1 } },
          ),
        async (batch) => void (await relayOutboxes(deps, { [list]: batch.map(({ _id }) => _id) })),
      ),
    ),
  )
  return found.reduce((sum, each) => sum + each, 0)
}
