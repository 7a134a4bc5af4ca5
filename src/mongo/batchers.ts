import type { Model } from 'mongoose'
import { createKeyLane, type KeyAndBusiness } from '../businesses/find-key.ts'
import { createMoveLane, type KeyMove } from '../businesses/move-key.ts'
import { type Claim, createReplayLane } from '../idempotency/claim.ts'
import { createExpiringLane } from '../intents/expire.ts'
import { createIntentLane, createIntentToChangeLane, type IntentToChange } from '../intents/find.ts'
import { createOfferedLane, type OfferedIntent } from '../intents/find-by-short-code.ts'
import type { Intent } from '../intents/intent.ts'
import { openRelayLanes, type RelayLanes } from '../outbox/relay-batchers.ts'
import type { Order } from '../store/orders/order.ts'
import type { Product } from '../store/products/product.ts'
import { type ClaimedDelivery, createClaimLane } from '../webhooks/attempts/claim.ts'
import { type AttemptEndpoint, createEndpointLane } from '../webhooks/attempts/find-endpoint.ts'
import { type AttemptResult, createResultLane } from '../webhooks/attempts/record.ts'
import type { BodySource } from '../webhooks/body/compose.ts'
import { createBodySourceLane } from '../webhooks/body/find-source.ts'
import type { Delivery } from '../webhooks/deliveries/delivery.ts'
import type { Endpoint } from '../webhooks/endpoints/endpoint.ts'
import type { Lane } from './batching/batcher.ts'
import { createInsertLane, type Insertion } from './batching/insert-batcher.ts'
import { createByIdLane } from './batching/read-batcher.ts'
import { createUpdateLane, type GuardedUpdate } from './batching/update-batcher.ts'
import { pastMongoose } from './collection.ts'
import type { Models } from './models.ts'

/** The batchers through which requests and deliveries share calls to MongoDB (src/group-commit/). */
export interface Lanes extends RelayLanes {
  findKey: Lane<string, KeyAndBusiness | null>
  moveKey: Lane<KeyMove, void>
  insertClaim: Lane<Claim, Insertion>
  findClaim: Lane<string, Claim | null>
  updateClaim: Lane<GuardedUpdate, boolean>
  noteReplay: Lane<string, void>
  insertIntent: Lane<Intent, Insertion>
  findIntent: Lane<string, Intent | null>
  findIntentToChange: Lane<string, IntentToChange | null>
  findOffered: Lane<string, OfferedIntent | null>
  findExpiring: Lane<string, Intent | null>
  updateIntent: Lane<GuardedUpdate, boolean>
  insertProduct: Lane<Product, Insertion>
  updateProduct: Lane<GuardedUpdate, boolean>
  findVariants: Lane<string, VariantsOf | null>
  insertOrder: Lane<Order, Insertion>
  insertEndpoint: Lane<Endpoint, Insertion>
  findEndpoint: Lane<string, AttemptEndpoint | null>
  insertDelivery: Lane<Delivery, Insertion>
  lookAtDelivery: Lane<string, DeliveryStanding | null>
  claimDelivery: Lane<string, ClaimedDelivery | null>
  recordResult: Lane<AttemptResult, boolean>
  findBodySource: Lane<string, BodySource | null>
}

/** The state of a delivery, without its facts. */
type DeliveryStanding = Pick<Delivery, '_id' | keyof typeof standing>
const standing = {
  status: 1,
  attempts: 1,
  redrives: 1,
  nextAttemptAt: 1,
  attemptLog: { $slice: -1 },
} as const

type VariantsOf = Pick<Product, '_id' | 'variants'>

export function openLanes(models: Models, now: () => Date): Lanes {
  return {
    findKey: createKeyLane(models.ApiKey),
    moveKey: createMoveLane(models.ApiKey),
    insertClaim: insertsOf(models.Claim),
    findClaim: createByIdLane(models.Claim),
    updateClaim: createUpdateLane(pastMongoose(models.Claim)),
    noteReplay: createReplayLane(models.Claim, now),
    insertIntent: insertsOf(models.Intent),
    findIntent: createIntentLane(models.Intent),
    findIntentToChange: createIntentToChangeLane(models.Intent),
    findOffered: createOfferedLane(models.Intent),
    findExpiring: createExpiringLane(models.Intent),
    updateIntent: createUpdateLane(pastMongoose(models.Intent)),
    insertProduct: insertsOf(models.Product),
    updateProduct: createUpdateLane(pastMongoose(models.Product)),
    findVariants: createByIdLane<Product, VariantsOf>(models.Product, { variants: 1 }),
    insertOrder: insertsOf(models.Order),
    insertEndpoint: insertsOf(models.Endpoint),
    findEndpoint: createEndpointLane(models.Endpoint),
    insertDelivery: insertsOf(models.Delivery),
    lookAtDelivery: createByIdLane<Delivery, DeliveryStanding>(models.Delivery, standing),
    claimDelivery: createClaimLane(models.Delivery, now),
    recordResult: createResultLane(models.Delivery),
    findBodySource: createBodySourceLane(models),
    ...openRelayLanes(models),
  }
}

const insertsOf = <Doc extends { _id: string }>(model: Model<Doc>): Lane<Doc, Insertion> =>
  createInsertLane<Doc>((docs) => pastMongoose(model).insertMany(docs as never, { ordered: false }), 500)
