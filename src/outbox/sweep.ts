import type { Model } from 'mongoose'
import type { Deps } from '../deps.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { inFairBatches } from '../mongo/in-fair-batches.ts'
import { relayOutboxes, type ToRelay } from './relay.ts'

/** The poll skips events that are younger than this, because their wake-up jobs may still arrive. */
const graceMs = 1_500
/** The maximum number of documents of a single business that one run of the poll processes. */
const maxPerBusiness = 1_000

interface Unrelayed {
  _id: string
  businessId: string
}

/**
 * Relays the events found in outboxes, oldest first, with a limit on the number of documents per business. Returns the
 * number of documents found. The search reads only index keys, because a document may be as large as 500 KB. It does
 * not find documents whose events have all been relayed.
 */
export async function pollOutboxes(deps: Deps, perBusiness = maxPerBusiness): Promise<number> {
  const latest = new Date(deps.now().getTime() - graceMs)
  const relayAll = <Doc extends { _id: string }>(model: Model<Doc>, toRelay: (ids: string[]) => ToRelay) =>
    inFairBatches<Unrelayed>(
      perBusiness,
      (_, exceptBusinessIds) =>
        nativeCollection(model).find<Unrelayed>(
          { 'outbox.createdAt': { $lte: latest }, businessId: { $nin: [...exceptBusinessIds] } } as object,
          { projection: { businessId: 1 }, hint: 'withOutbox', sort: { 'outbox.createdAt': 1 } },
        ),
      async (found) => void (await relayOutboxes(deps, toRelay(found.map(({ _id }) => _id)))),
    )
  const relayed = await Promise.allSettled([
    relayAll(deps.Intent, (intentIds) => ({ intentIds })),
    relayAll(deps.Order, (orderIds) => ({ orderIds })),
    relayAll(deps.Endpoint, (endpointIds) => ({ endpointIds })),
  ])
  return relayed.reduce((found, result) => {
    if (result.status === 'rejected') throw result.reason
    return found + result.value
  }, 0)
}
