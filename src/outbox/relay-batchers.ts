import type { Model } from 'mongoose'
import { type Batcher, backgroundRestMs, createBatcher } from '../mongo/batching/batcher.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Models } from '../mongo/models.ts'
import { groupBy } from '../polyfills/group-by.ts'
import type { Receiver } from '../webhooks/deliveries/new-delivery.ts'
import { standing } from '../webhooks/endpoints/endpoint.ts'
import { type OutboxBatchers, openOutboxBatchers } from './outbox-batchers.ts'

/** The batchers of the relay. Most relay jobs carry one intent and many run at once, so they share reads and writes. */
export interface RelayBatchers extends OutboxBatchers {
  /** The active endpoints of a business. */
  findReceivers: Batcher<string, Receiver[]>
  emptyIntentOutbox: Batcher<Told, void>
  emptyOrderOutbox: Batcher<Told, void>
}

/** Events of a document that have become deliveries, to be removed from its outbox. `_id` is the document's. */
export interface Told {
  _id: string
  events: string[]
}

export const openRelayBatchers = (models: Models): RelayBatchers => ({
  ...openOutboxBatchers(models),
  findReceivers: createBatcher(500, async (businessIds) => {
    const found = await nativeCollection(models.Endpoint)
      .find<Receiver>(
        { businessId: { $in: [...new Set(businessIds)] }, ...standing, active: true },
        { projection: { businessId: 1, url: 1, events: 1, health: 1 }, hint: 'slotInUse' },
      )
      .toArray()
    const byBusiness = groupBy(found, ({ businessId }) => businessId)
    return businessIds.map((id) => byBusiness.get(id) ?? [])
  }),
  emptyIntentOutbox: createEmptyingBatcher(models.Intent),
  emptyOrderOutbox: createEmptyingBatcher(models.Order),
})

/** One update for all documents. Event ids are unique, so each outbox loses only its own events. */
const createEmptyingBatcher = <Doc extends { _id: string }>(model: Model<Doc>): Batcher<Told, void> =>
  createBatcher(
    500,
    async (told) => {
      const events = told.flatMap((one) => one.events)
      await nativeCollection(model).updateMany(
        { _id: { $in: told.map(({ _id }) => _id) } } as object,
        { $pull: { outbox: { id: { $in: events } } } } as object,
      )
      return told.map(() => undefined)
    },
    backgroundRestMs,
  )
