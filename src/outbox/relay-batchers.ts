import type { Model } from 'mongoose'
import { type Batcher, backgroundRest, createBatcher } from '../mongo/batching/batcher.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Models } from '../mongo/models.ts'
import type { TargetEndpoint } from '../webhooks/deliveries/new-delivery.ts'
import { standing } from '../webhooks/endpoints/endpoint.ts'
import { type OutboxBatchers, openOutboxBatchers } from './outbox-batchers.ts'

/**
 * The relay's batchers. Many relay jobs run in parallel, and most of them handle only one intent each, so their reads
 * and writes are combined into batches.
 */
export interface RelayBatchers extends OutboxBatchers {
  /** Finds a business's active endpoints. */
  findActiveEndpoints: Batcher<string, TargetEndpoint[]>
  emptyIntentOutbox: Batcher<RelayedEvents, void>
  emptyOrderOutbox: Batcher<RelayedEvents, void>
  emptyEndpointOutbox: Batcher<RelayedEvents, void>
}

/**
 * The events of one document that have become deliveries and must now be removed from the document's outbox. `_id` is
 * the id of the document.
 */
export interface RelayedEvents {
  _id: string
  events: string[]
}

export const openRelayBatchers = (models: Models): RelayBatchers => ({
  ...openOutboxBatchers(models),
  findActiveEndpoints: createBatcher(500, async (businessIds) => {
    const found = await nativeCollection(models.Endpoint)
      .find<TargetEndpoint>(
        { businessId: { $in: [...new Set(businessIds)] }, ...standing, active: true },
        { projection: { businessId: 1, sandbox: 1, url: 1, events: 1, health: 1 }, hint: 'slotInUse' },
      )
      .toArray()
    const byBusiness = Map.groupBy(found, ({ businessId }) => businessId)
    return businessIds.map((id) => byBusiness.get(id) ?? [])
  }),
  emptyIntentOutbox: createEmptyingBatcher(models.Intent),
  emptyOrderOutbox: createEmptyingBatcher(models.Order),
  emptyEndpointOutbox: createEmptyingBatcher(models.Endpoint),
})

/**
 * Empties the outboxes of many documents with one update. The update lists the ids of all relayed events. Because event
 * ids are unique, each outbox loses only its own events.
 */
const createEmptyingBatcher = <Doc extends { _id: string }>(model: Model<Doc>): Batcher<RelayedEvents, void> =>
  createBatcher(
    500,
    async (relayed) => {
      const events = relayed.flatMap((each) => each.events)
      await nativeCollection(model).updateMany(
        { _id: { $in: relayed.map(({ _id }) => _id) } } as object,
        { $pull: { outbox: { id: { $in: events } } } } as object,
      )
      return relayed.map(() => undefined)
    },
    backgroundRest,
  )
