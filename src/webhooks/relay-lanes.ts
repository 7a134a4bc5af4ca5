import { pastMongoose } from '../collection.ts'
import type { Models } from '../collections.ts'
import { groupBy } from '../group-by.ts'
import { createByIdLane, createLane, type Lane, unhurriedRestMs } from '../group-commit.ts'
import type { Intent } from '../intents/intent.ts'
import type { Receiver, Source } from './deliveries/new-deliveries.ts'

/** The trips of the relay: most of its jobs carry one intent, and very many of them run at once. */
export interface RelayLanes {
  findSource: Lane<string, Source | null>
  /** The active endpoints of a business. */
  findReceivers: Lane<string, Receiver[]>
  emptyOutbox: Lane<Told, void>
}

/** Events of an intent that are deliveries now. */
export interface Told {
  _id: string
  events: string[]
}

const sourceFields = {
  businessId: 1,
  sandbox: 1,
  referenceNumber: 1,
  expiresAt: 1,
  status: 1,
  outbox: 1,
} as const

export const openRelayLanes = (models: Models): RelayLanes => ({
  findSource: createByIdLane<Intent, Source>(models.Intent, sourceFields),
  findReceivers: createLane(500, async (businessIds) => {
    const found = await pastMongoose(models.Endpoint)
      .find<Receiver>(
        { businessId: { $in: [...new Set(businessIds)] }, active: true, deletedAt: null },
        { projection: { businessId: 1, url: 1, events: 1, health: 1 } },
      )
      .toArray()
    const byBusiness = groupBy(found, ({ businessId }) => businessId)
    return businessIds.map((id) => byBusiness.get(id) ?? [])
  }),
  emptyOutbox: createLane(
    500,
    async (told) => {
      await pastMongoose(models.Intent).bulkWrite(
        told.map(({ _id, events }) => ({
          updateOne: { filter: { _id }, update: { $pull: { outbox: { id: { $in: events } } } } },
        })),
        { ordered: false },
      )
      return told.map(() => undefined)
    },
    unhurriedRestMs,
  ),
})
