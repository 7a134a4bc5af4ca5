import type { Model } from 'mongoose'
import { type ActivityBatchers, openActivityBatchers } from '../activity/note-events.ts'
import { createKeyBatcher, type KeyAndBusiness } from '../businesses/find-key.ts'
import { createNoteBatcher, type KeyNote } from '../businesses/key-notes.ts'
import { type EventLog, openEventLog } from '../events/log.ts'
import type { StoredResponse } from '../idempotency/response.ts'
import {
  createExpiringBatcher,
  createIntentBatcher,
  createIntentToChangeBatcher,
  createOfferedBatcher,
  type IntentKey,
  type IntentToChange,
  type OfferedIntent,
} from '../intents/batchers.ts'
import type { Intent } from '../intents/intent.ts'
import { type LedgerAppender, openLedger } from '../ledger/book.ts'
import { openRelayBatchers, type RelayBatchers } from '../outbox/relay-batchers.ts'
import type { Log } from '../process/log.ts'
import { type ClaimedDelivery, createClaimBatcher } from '../webhooks/attempts/claim.ts'
import { type AttemptEndpoint, createEndpointBatcher } from '../webhooks/attempts/find-endpoint.ts'
import { type AttemptResult, createResultBatcher } from '../webhooks/attempts/record.ts'
import type { BodySource } from '../webhooks/body/compose.ts'
import { createBodySourceBatcher } from '../webhooks/body/find-source.ts'
import type { Delivery } from '../webhooks/deliveries/delivery.ts'
import type { Batcher } from './batching/batcher.ts'
import { createInsertBatcher, type Insertion } from './batching/insert-batcher.ts'
import { createByIdBatcher } from './batching/read-batcher.ts'
import { createUpdateBatcher, type GuardedUpdate } from './batching/update-batcher.ts'
import { nativeCollection } from './collection.ts'
import type { Models } from './models.ts'
import type { Transactions } from './transaction.ts'

/** The batchers through which concurrent requests and deliveries share calls to MongoDB. */
export interface Batchers extends RelayBatchers, ActivityBatchers, LedgerAppender, EventLog {
  findKey: Batcher<string, KeyAndBusiness | null>
  noteOnKey: Batcher<KeyNote, void>
  findResponse: Batcher<string, StoredResponse | null>
  insertResponse: Batcher<StoredResponse, Insertion>
  insertIntent: Batcher<Intent, Insertion>
  findIntent: Batcher<string, Intent | null>
  findIntentToChange: Batcher<IntentKey, IntentToChange | null>
  findOffered: Batcher<string, OfferedIntent | null>
  findExpiring: Batcher<string, Intent | null>
  updateIntent: Batcher<GuardedUpdate, boolean>
  findEndpoint: Batcher<string, AttemptEndpoint | null>
  insertDelivery: Batcher<Delivery, Insertion>
  lookAtDelivery: Batcher<string, DeliveryStanding | null>
  claimDelivery: Batcher<string, ClaimedDelivery | null>
  recordResult: Batcher<AttemptResult, boolean>
  findBodySource: Batcher<string, BodySource | null>
}

/** The state of a delivery, without the event data that is stored in its `facts` field. */
type DeliveryStanding = Pick<Delivery, '_id' | keyof typeof standing>
const standing = {
  status: 1,
  attempts: 1,
  requeues: 1,
  nextAttemptAt: 1,
  attemptLog: { $slice: -1 },
} as const

export function openBatchers(models: Models & { transactions: Transactions }, now: () => Date, log: Log): Batchers {
  return {
    findKey: createKeyBatcher(models.ApiKey),
    noteOnKey: createNoteBatcher(models.ApiKey),
    findResponse: createByIdBatcher(models.StoredResponse),
    insertResponse: insertsOf(models.StoredResponse),
    insertIntent: insertsOf(models.Intent),
    findIntent: createIntentBatcher(models.Intent),
    findIntentToChange: createIntentToChangeBatcher(models.Intent, now),
    findOffered: createOfferedBatcher(models.Intent, now),
    findExpiring: createExpiringBatcher(models.Intent),
    updateIntent: createUpdateBatcher(nativeCollection(models.Intent)),
    findEndpoint: createEndpointBatcher(models.Endpoint),
    insertDelivery: insertsOf(models.Delivery),
    lookAtDelivery: createByIdBatcher<Delivery, DeliveryStanding>(models.Delivery, standing),
    claimDelivery: createClaimBatcher(models.Delivery, now),
    recordResult: createResultBatcher(models.Delivery),
    findBodySource: createBodySourceBatcher(models),
    ...openRelayBatchers(models),
    ...openActivityBatchers(models, now),
    ...openLedger(models, now, log),
    ...openEventLog(models, now),
  }
}

const insertsOf = <Doc extends { _id: string }>(model: Model<Doc>): Batcher<Doc, Insertion> =>
  createInsertBatcher<Doc>((docs) => nativeCollection(model).insertMany(docs as never, { ordered: false }), 500)
