import type { Model } from 'mongoose'
import { createKeyLane, type KeyAndBusiness } from './businesses/find-key.ts'
import { pastMongoose } from './collection.ts'
import type { Models } from './collections.ts'
import { createInsertLane, createReadLane, type Insertion, type Lane } from './group-commit.ts'
import type { Claim } from './idempotency/claim.ts'
import type { Intent } from './intents/intent.ts'
import { type ClaimedDelivery, createClaimLane } from './webhooks/claim-delivery.ts'
import type { Delivery } from './webhooks/delivery.ts'
import type { Endpoint } from './webhooks/endpoint.ts'
import { type AttemptResult, createResultLane } from './webhooks/record-attempt.ts'

/** The trips to MongoDB that a request or a delivery shares with whoever else is waiting (src/group-commit.ts). */
export interface Lanes {
  findKey: Lane<string, KeyAndBusiness | null>
  insertClaim: Lane<Claim, Insertion>
  findClaim: Lane<string, Claim | null>
  insertIntent: Lane<Intent, Insertion>
  insertEndpoint: Lane<Endpoint, Insertion>
  findEndpoint: Lane<string, Endpoint | null>
  insertDelivery: Lane<Delivery, Insertion>
  findDelivery: Lane<string, Delivery | null>
  claimDelivery: Lane<string, ClaimedDelivery | null>
  recordResult: Lane<AttemptResult, void>
}

const byId = <Doc extends { _id: string }>(model: Model<Doc>): Lane<string, Doc | null> =>
  createReadLane<Doc>(
    (ids) =>
      pastMongoose(model)
        .find<Doc>({ _id: { $in: ids } } as object)
        .toArray(),
    (doc) => [doc._id],
  )

export function openLanes(models: Models, now: () => Date): Lanes {
  return {
    findKey: createKeyLane(models.ApiKey),
    insertClaim: insertsOf(models.Claim),
    findClaim: byId(models.Claim),
    insertIntent: insertsOf(models.Intent),
    insertEndpoint: insertsOf(models.Endpoint),
    findEndpoint: byId(models.Endpoint),
    insertDelivery: insertsOf(models.Delivery),
    findDelivery: byId(models.Delivery),
    claimDelivery: createClaimLane(models.Delivery, now),
    recordResult: createResultLane(models.Delivery),
  }
}

const insertsOf = <Doc extends { _id: string }>(model: Model<Doc>): Lane<Doc, Insertion> =>
  createInsertLane<Doc>((docs) => pastMongoose(model).insertMany(docs as never, { ordered: false }), 500)
