import type { Business } from '../businesses/business.ts'
import { createKeyBatcher, createNoteBatcher } from '../businesses/key-batchers.ts'
import type { OnStored } from '../chains/append.ts'
import { openEventLog } from '../events/log.ts'
import {
  createExpiringBatcher,
  createIntentBatcher,
  createIntentToChangeBatcher,
  createOfferedBatcher,
} from '../intents/batchers.ts'
import { openLedger } from '../ledger/book.ts'
import { insertsOf } from '../mongo/batching/insert-batcher.ts'
import { createByIdBatcher } from '../mongo/batching/read-batcher.ts'
import { createUpdateBatcher } from '../mongo/batching/update-batcher.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Transactions } from '../mongo/transaction.ts'
import type { Log } from '../platform/log.ts'
import { openRelayBatchers } from '../relay/relay-batchers.ts'
import { createClaimBatcher, createEndpointBatcher, createResultBatcher } from '../webhooks/attempts/batchers.ts'
import { createBodySourceBatcher } from '../webhooks/body/find-source.ts'
import type { Delivery } from '../webhooks/deliveries/delivery.ts'
import type { Models } from './models.ts'

/** The state of a delivery, without the event data that is stored in its `facts` field. */
type DeliveryStanding = Pick<Delivery, '_id' | keyof typeof standing>
const standing = {
  status: 1,
  attempts: 1,
  requeues: 1,
  nextAttemptAt: 1,
  leaseToken: 1,
  attemptLog: { $slice: -1 },
} as const

/**
 * Opens the batchers through which concurrent requests and deliveries share calls to MongoDB. `onStored` gets what the
 * relay stores in the event log and the ledger.
 */
export function openBatchers(
  models: Models & { transactions: Transactions },
  now: () => Date,
  log: Log,
  onStored?: OnStored,
) {
  return {
    findKey: createKeyBatcher(models.ApiKey),
    findBusiness: createByIdBatcher<Business, Pick<Business, '_id' | 'suspended'>>(models.Business, { suspended: 1 }),
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
    ...openLedger(models, now, log, onStored),
    ...openEventLog(models, now, onStored),
  }
}

export type Batchers = ReturnType<typeof openBatchers>
