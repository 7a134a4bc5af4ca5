import type { Connection } from 'mongoose'
import { type ApiSwitch, createApiSwitch } from './businesses/api-switch.ts'
import type { Config } from './config.ts'
import { type BodyKind, createBodyRooms, type Room } from './http/body/budget.ts'
import { createResponseBudget, type ResponseBudget, responseBytes } from './http/responses/budget.ts'
import { createReadPace, type ReadPace } from './http/responses/read-pace.ts'
import { longestReadMs } from './input/pagination.ts'
import { createValidate, type Validate } from './input/validate.ts'
import { createFullSandboxes, type FullSandboxes } from './intents/full-sandboxes.ts'
import { mostMarks, stride } from './lists/counts/checkpoint.ts'
import { createTallies, type Tallies } from './lists/counts/counts.ts'
import { createLists, type Lists, listConnections } from './lists/lists.ts'
import type { Metrics } from './metrics/metrics.ts'
import { type Lanes, openLanes } from './mongo/batchers.ts'
import { awaitMongo, onceThere } from './mongo/connect.ts'
import { type DatabaseTime, openDatabaseTime, type Shift, unshifted } from './mongo/database-time.ts'
import { type Models, openModels } from './mongo/models.ts'
import { largeGroups } from './outbox/read-outboxes.ts'
import { relaySlots } from './outbox/relay.ts'
import { createUnderWay, type UnderWay } from './process/background-work.ts'
import { createFairSlots, type FairSlots, fewerThanFree } from './process/fair-slots.ts'
import type { Log } from './process/log.ts'
import { createTurns, type InTurn } from './process/one-at-a-time.ts'
import { type BoardQueues, openBoardQueues } from './queues/board-queues.ts'
import { queueOptions } from './queues/jobs.ts'
import { type Nudge, openQueues, type Queues } from './queues/queues.ts'
import { openQuotas, type Quotas } from './quotas/quotas.ts'
import { createAddUp } from './security/rate-limits/add-up.ts'
import { createRateLimits, type RateLimits } from './security/rate-limits/rate-limits.ts'
import { createSecrets, type Secrets } from './security/seal.ts'
import { createSlowHash, type SlowHash } from './security/slow-hash.ts'
import { openTracing } from './tracing/open.ts'
import type { Tracing } from './tracing/tracing.ts'
import { createLiveWallet } from './wallets/live/live-wallet.ts'
import { createSandboxWallet } from './wallets/sandbox/sandbox-wallet.ts'
import { openWallets, type Wallets } from './wallets/wallets.ts'
import { createHealthNotes, type HealthNotes } from './webhooks/attempts/record-health.ts'
import { mostAttempts } from './webhooks/attempts/slots/limits.ts'
import { createSlots, type Slots } from './webhooks/attempts/slots/slots.ts'
import { createLeases, type Leases } from './webhooks/deliveries/lease.ts'
import { createTestSlots, type TestSlots } from './webhooks/endpoints/test-slots.ts'
import { createSender, type Sender } from './webhooks/sender/send.ts'

/** All that an operation may use, handed to it as its first argument. Nobody imports a connection or reads a clock. */
export interface Deps extends Models {
  config: Config
  log: Log
  metrics: Metrics
  /** Null: nothing is traced. */
  tracing: Tracing | null
  /** The only clock for everything that is stored or compared (src/mongo/database-time.ts). */
  now(): Date
  databaseTime: Pick<DatabaseTime, 'unsure' | 'skewMs'>
  secrets: Secrets
  slowHash: SlowHash
  validate: Validate
  lanes: Lanes
  leases: Leases
  slots: Slots
  /** Running attempts and questions to wallets, which no job waits for. */
  underWay: UnderWay
  /** By id: the documents that this process is relaying. `again`: new events may have come, so relay once more. */
  relaying: Map<string, 'once' | 'again'>
  healthNotes: HealthNotes
  sender: Sender
  testSlots: TestSlots
  /** For documents that are being relayed. */
  relaySlots: FairSlots
  /** For groups of large documents that the relay reads (outbox/read-outboxes.ts). */
  largeOutboxes: FairSlots
  wallets: Wallets
  /** For questions to wallets, because a wallet may hang for the customers of one business. */
  questionSlots: FairSlots
  /** The keys of the payments and refunds that this process is asking wallets about. */
  asking: Set<string>
  /** Runs imports and dry runs one at a time for each business: each may read megabytes and compute for seconds. */
  importInTurn: InTurn
  /** Runs attempts to place orders one at a time for each business. */
  orderInTurn: InTurn
  lists: Lists
  tallies: Tallies
  /** Duplicates that wait long for the response of the first request, by business (src/http/operations/idempotency.ts). */
  longWaits: Map<string, number>
  apiSwitch: ApiSwitch
  /** Null: any number. */
  rateLimits: RateLimits | null
  quotas: Quotas
  fullSandboxes: FullSandboxes
  /** For large bodies, by their kind. */
  bodyRooms: Record<BodyKind, Room>
  responses: ResponseBudget
  readPace: ReadPace
  queues: Queues
  nudge: Nudge
  boardQueues: BoardQueues
  mongo: Connection
  close(): Promise<void>
}

/** Sockets to endpoints: one for each attempt, so that no attempt waits for a socket, and some for endpoint tests. */
const mostSockets = mostAttempts + 200

/** For what is measured and never stored: no clock that somebody sets. */
const elapsedMs = (): number => performance.now()

function after(ms: number, act: () => unknown): () => void {
  const timer = setTimeout(act, ms)
  return () => clearTimeout(timer)
}

/** As in the Procfile. */
export type ProcessType = 'web' | 'worker'

/** Opens all connections and waits until MongoDB responds. Redis may be down. `shift`: the offset of a test. */
export async function openDeps(
  config: Config,
  log: Log,
  metrics: Metrics,
  processType: ProcessType,
  shift: Shift = unshifted,
): Promise<Deps> {
  const tracing = await openTracing(config, log, processType)
  const mongo = await awaitMongo(config.mongodbUrl, log, {})
  const databaseTime = await onceThere(log, () => openDatabaseTime(mongo, log, shift))
  const { now } = databaseTime
  const models = openModels(mongo)
  const listsMongo = await awaitMongo(config.mongodbUrl, log, listConnections)
  const queues = openQueues(config, log)
  const boardQueues = openBoardQueues(config, log)
  const sender = createSender({
    timeoutMs: config.webhookTimeoutMs,
    allowedHosts: config.webhookAllowedHosts,
    blockedRanges: config.webhookBlockedRanges,
    maxSockets: mostSockets,
  })
  const slowHash = createSlowHash()
  const { walletProvider } = config
  const liveWallet = walletProvider && createLiveWallet({ config, log, now }, walletProvider)
  const wallets = openWallets(createSandboxWallet({ ...models, now, slowHash }), liveWallet)
  const healthNotes = createHealthNotes(models, log)
  const apiSwitch = await onceThere(log, () => createApiSwitch(models.Setting))
  const { rateLimitPerSecond: perSecond } = config
  const addUp = createAddUp(queues.trip, `${config.queuePrefix}:rate`)
  const rateLimits = perSecond === null ? null : createRateLimits(perSecond, addUp, now)
  return {
    config,
    log,
    metrics,
    tracing,
    now,
    databaseTime,
    secrets: createSecrets(config.secretKeys),
    slowHash,
    validate: createValidate(config),
    ...models,
    lanes: openLanes(models, now),
    leases: createLeases(models.Delivery, now),
    slots: createSlots({ elapsedMs, after }),
    underWay: createUnderWay(),
    relaying: new Map(),
    healthNotes,
    sender,
    testSlots: createTestSlots(),
    relaySlots: createFairSlots(fewerThanFree(relaySlots)),
    largeOutboxes: createFairSlots(fewerThanFree(largeGroups)),
    wallets,
    questionSlots: createFairSlots(fewerThanFree(queueOptions['wallet-outcome'].concurrency)),
    asking: new Set(),
    importInTurn: createTurns(),
    orderInTurn: createTurns(),
    lists: createLists(openModels(listsMongo, longestReadMs)),
    tallies: createTallies(elapsedMs, { stride, mostMarks }),
    longWaits: new Map(),
    apiSwitch,
    rateLimits,
    fullSandboxes: createFullSandboxes(elapsedMs),
    quotas: openQuotas({ ...models, now }, elapsedMs),
    bodyRooms: createBodyRooms(),
    readPace: createReadPace(elapsedMs),
    responses: createResponseBudget(responseBytes, (bytes) => metrics.gauges.responseBytes.set(bytes)),
    queues,
    nudge: queues.nudge,
    boardQueues,
    mongo,
    async close() {
      apiSwitch.close()
      rateLimits?.close()
      await queues.close()
      await boardQueues.close()
      await sender.close()
      await wallets.close()
      await healthNotes.close()
      databaseTime.close()
      await listsMongo.close()
      await mongo.close()
      await tracing?.close()
    },
  }
}
