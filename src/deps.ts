import type { Connection, Model } from 'mongoose'
import { type ApiKey, apiKeys } from './businesses/api-key.ts'
import { type ApiSwitch, createApiSwitch, type Setting, settings } from './businesses/api-switch.ts'
import { type Business, businesses } from './businesses/business.ts'
import { createKeyLane, type KeyAndBusiness } from './businesses/find-key.ts'
import { type Collection, openCollection, pastMongoose } from './collection.ts'
import type { Config } from './config.ts'
import { createInsertLane, createReadLane, type Insertion, type Lane } from './group-commit.ts'
import { type Claim, claims } from './idempotency/claim.ts'
import { type Intent, intents } from './intents/intent.ts'
import type { Log } from './log.ts'
import { awaitMongo } from './mongo.ts'
import { type Nudge, openQueues, type Queues } from './queues.ts'
import { createSecrets, type Secrets } from './secrets.ts'
import { createValidate, type Validate } from './validate.ts'
import {
  type ClaimedDelivery,
  createClaimLane,
  createLeases,
  type Leases,
} from './webhooks/claim-delivery.ts'
import { type Delivery, deliveries } from './webhooks/delivery.ts'
import { type Endpoint, endpoints } from './webhooks/endpoint.ts'
import { type AttemptResult, createResultLane } from './webhooks/record-attempt.ts'
import { createSender, type Sender } from './webhooks/sender/send.ts'

/** Every collection there is; src/release.ts makes their indexes. */
export const collections: readonly Collection[] = [
  businesses,
  apiKeys,
  settings,
  intents,
  endpoints,
  deliveries,
  claims,
]

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

/** All that an operation may use, handed to it as its first argument. Nobody imports a connection or reads a clock. */
export interface Deps {
  config: Config
  log: Log
  now(): Date
  secrets: Secrets
  validate: Validate
  Business: Model<Business>
  ApiKey: Model<ApiKey>
  Setting: Model<Setting>
  Intent: Model<Intent>
  Endpoint: Model<Endpoint>
  Delivery: Model<Delivery>
  Claim: Model<Claim>
  lanes: Lanes
  leases: Leases
  sender: Sender
  apiSwitch: ApiSwitch
  queues: Queues
  nudge: Nudge
  mongo: Connection
  close(): Promise<void>
}

/** Sockets to receivers in all; above the number of deliveries in flight, so none waits for another's idle one. */
const mostSockets = 512

/** Opens everything and waits until MongoDB answers. Redis may be away. */
export async function openDeps(config: Config, log: Log, now: () => Date): Promise<Deps> {
  const mongo = await awaitMongo(config.mongodbUrl, log)
  const models = openModels(mongo)
  const queues = openQueues(config, log)
  const sender = createSender({
    timeoutMs: config.webhookTimeoutMs,
    allowedHosts: config.webhookAllowedHosts,
    maxSockets: mostSockets,
  })
  const apiSwitch = await createApiSwitch(models.Setting)
  return {
    config,
    log,
    now,
    secrets: createSecrets(config.secretKeys),
    validate: createValidate(config),
    ...models,
    lanes: openLanes(models, now),
    leases: createLeases(models.Delivery, now),
    sender,
    apiSwitch,
    queues,
    nudge: queues.nudge,
    mongo,
    async close() {
      apiSwitch.close()
      await queues.close()
      await sender.close()
      await mongo.close()
    },
  }
}

export type Models = ReturnType<typeof openModels>

/** The model of every collection, on one connection. */
export const openModels = (mongo: Connection) => ({
  Business: openCollection<Business>(mongo, businesses),
  ApiKey: openCollection<ApiKey>(mongo, apiKeys),
  Setting: openCollection<Setting>(mongo, settings),
  Intent: openCollection<Intent>(mongo, intents),
  Endpoint: openCollection<Endpoint>(mongo, endpoints),
  Delivery: openCollection<Delivery>(mongo, deliveries),
  Claim: openCollection<Claim>(mongo, claims),
})

const byId = <Doc extends { _id: string }>(model: Model<Doc>): Lane<string, Doc | null> =>
  createReadLane<Doc>(
    (ids) =>
      pastMongoose(model)
        .find<Doc>({ _id: { $in: ids } } as object)
        .toArray(),
    (doc) => [doc._id],
  )

function openLanes(models: Models, now: () => Date): Lanes {
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
