import cluster from 'node:cluster'
import type { Connection } from 'mongoose'
import { type ApiSwitch, createApiSwitch } from '../businesses/api-switch.ts'
import { countStorage } from '../businesses/quotas.ts'
import { type Config, loadConfig } from '../config/config.ts'
import { type ChainWatch, openChainWatch } from '../events/feed/chain-watch.ts'
import { createValidate, type Validate } from '../input/validate.ts'
import { createShortCodePool, type ShortCodePool } from '../intents/codes.ts'
import {
  createFullSandboxes,
  createLiveCodeQuota,
  type FullSandboxes,
  type LiveCodeQuota,
} from '../intents/live-codes.ts'
import { type Capacity, createCapacity } from '../limits/capacity.ts'
import { type Counters, createCounters } from '../limits/counter.ts'
import { createRequestMemory, type RequestMemory } from '../limits/memory.ts'
import { createAddToSums, createRateLimits, type RateLimits } from '../limits/rate.ts'
import { createListCounts, type ListCounts } from '../lists/counts.ts'
import { createListReader, type ListReader, listPoolOptions } from '../lists/lists.ts'
import { maxListReadMs } from '../lists/pagination.ts'
import { addProcessMetrics, createMetrics, type Metrics } from '../metrics/metrics.ts'
import { requireSteps } from '../migrations/run.ts'
import { measureBson } from '../mongo/collection.ts'
import { awaitMongo, checkTransactionLifetime, retryWhileUnreachable } from '../mongo/connect.ts'
import { type ClockShift, type DatabaseTime, noClockShift, openDatabaseTime } from '../mongo/database-time.ts'
import { openTransactions, type Transactions } from '../mongo/transaction.ts'
import type { Deps } from '../platform/deps.ts'
import { createLog, type Log } from '../platform/log.ts'
import { createKeyedMutex, type KeyedMutex } from '../platform/one-at-a-time.ts'
import { processClock } from '../platform/process-clock.ts'
import { createWorkTracker, type WorkTracker } from '../platform/running-work.ts'
import { exitOnCrash, stopOnSignals } from '../platform/stop.ts'
import { packageVersion } from '../platform/version.ts'
import {
  type EnqueueJobs,
  type JobBoardQueues,
  type JobQueues,
  openJobBoardQueues,
  openJobQueues,
} from '../queues/queues.ts'
import { createEncrypter, type Encrypter } from '../security/encrypt.ts'
import { createSlowHash, type SlowHash } from '../security/slow-hash.ts'
import type { Tracing } from '../tracing/tracing.ts'
import { createLiveWallet } from '../wallets/live/live-wallet.ts'
import { createSandboxWallet } from '../wallets/sandbox/sandbox-wallet.ts'
import { openWallets, type Wallets } from '../wallets/wallet.ts'
import { createHealthRecorder, type HealthRecorder } from '../webhooks/attempts/record-health.ts'
import { type AttemptSlots, createAttemptSlots, maxAttemptsInFlight } from '../webhooks/attempts/slots.ts'
import { createHeldLeases, type DeliveryLeases } from '../webhooks/deliveries/lease.ts'
import { createNotifier, type Notifier } from '../webhooks/endpoints/notices.ts'
import { createSender, type Sender } from '../webhooks/sender/send.ts'
import { openBatchers } from './batchers.ts'
import { addModels, type ModelsByName, openModels, updateDatabase } from './models.ts'

/** Code may use only what its own layer or a lower one adds. */
declare module '../platform/deps.ts' {
  interface Deps {
    apiSwitch: ApiSwitch
    config: Config
    /** Wakes requests that wait for a new event. */
    chainWatch: ChainWatch
    validate: Validate
    shortCodes: ShortCodePool
    liveCodes: LiveCodeQuota
    fullSandboxes: FullSandboxes
    /** Keys of the payments and refunds that this process is querying. */
    walletQueries: Set<string>
    capacity: Capacity
    counters: Counters
    memory: RequestMemory
    rateLimits: RateLimits | null
    listCounts: ListCounts
    lists: ListReader
    metrics: Metrics
    mongo: Connection
    databaseTime: Pick<DatabaseTime, 'unsure' | 'skewMs'>
    transactions: Transactions
    boardQueues: JobBoardQueues
    queues: JobQueues
    enqueue: EnqueueJobs
    /** `again` means that a new event arrived while we relayed the others. */
    relaying: Map<string, 'once' | 'again'>
    secrets: Encrypter
    backgroundWork: WorkTracker
    slowHash: SlowHash
    /** Runs only one import per business at a time, to limit memory use. */
    importOneAtATime: KeyedMutex
    tracing: Tracing | null
    wallets: Wallets
    healthNotes: HealthRecorder
    slots: AttemptSlots
    leases: DeliveryLeases
    sender: Sender
    notifier: Notifier | null
  }
  interface Models extends ModelsByName {}
  interface Batchers extends ReturnType<typeof openBatchers> {}
}

const maxSockets = maxAttemptsInFlight + 200

export type ProcessType = 'web' | 'worker'

/** Waits for MongoDB, but not for Redis. */
export async function openDeps(
  config: Config,
  log: Log,
  metrics: Metrics,
  processType: ProcessType,
  shift: ClockShift = noClockShift,
): Promise<Deps> {
  // Loading OpenTelemetry takes 7 MB and 0.1 s, so do it only if it's enabled.
  const otlp = config.otlpEndpoint === null ? null : await import('../tracing/otlp.ts')
  const tracing = otlp?.createTracing(config, log, processType) ?? null
  const mongo = await awaitMongo(config, log, {})
  const databaseTime = await retryWhileUnreachable(log, () => openDatabaseTime(mongo, log, shift))
  const { now } = databaseTime
  const models = openModels(mongo)
  const listsMongo = await awaitMongo(config, log, listPoolOptions)
  const listModels = openModels(listsMongo, maxListReadMs)
  const chainWatch = openChainWatch(listModels, log)
  const queues = openJobQueues(config, log, (queue, jobs) => metrics.jobsDropped.inc({ queue }, jobs))
  const boardQueues = openJobBoardQueues(config, log)
  const sender = createSender({
    timeoutMs: config.webhookTimeoutMs,
    allowedHosts: config.webhookAllowedHosts,
    blockedRanges: config.webhookBlockedRanges,
    proxy: config.webhookProxy,
    maxSockets,
    userAgent: `${config.webhookHeaderBrand}-Webhooks/${packageVersion} (+${new URL('/docs', config.publicUrl).href})`,
  })
  const { webConcurrency } = config
  const capacity = createCapacity(undefined, webConcurrency)
  const slowHash = createSlowHash(config.hashMemoryKib, webConcurrency)
  const { walletProvider } = config
  const liveWallet = walletProvider && createLiveWallet({ config, log, now }, walletProvider)
  const transactions = openTransactions(mongo)
  const sandboxWallet = createSandboxWallet(addModels(models, { config, transactions, now, slowHash }))
  const wallets = openWallets(sandboxWallet, liveWallet)
  const healthNotes = createHealthRecorder(models, log)
  const apiSwitch = await retryWhileUnreachable(log, () => createApiSwitch(models.Setting))
  const counters = createCounters(addModels(models, { now, log }))
  const batchers = openBatchers(addModels(models, { transactions }), now, log, (owner, documents) =>
    countStorage({ counters, config }, owner, { others: documents.length, bytes: measureBson(...documents) }),
  )
  const notifier = createNotifier(config)
  const { rateLimitPerSecond: perSecond } = config
  const secrets = createEncrypter(config.secretKeys)
  const addToSums = createAddToSums(queues.runCommands, `${config.queuePrefix}:rate`, secrets.hash)
  const rateLimits = perSecond === null ? null : createRateLimits(perSecond, addToSums, now, webConcurrency)
  const all = [
    chainWatch,
    apiSwitch,
    rateLimits,
    queues,
    boardQueues,
    sender,
    healthNotes,
    counters,
    wallets,
    notifier,
  ]
  return addModels(models, {
    config,
    log,
    metrics,
    tracing,
    now,
    databaseTime,
    secrets,
    slowHash,
    validate: createValidate(config),
    batchers,
    leases: createHeldLeases(models.Delivery, now),
    slots: createAttemptSlots(),
    capacity,
    memory: createRequestMemory(capacity),
    backgroundWork: createWorkTracker(),
    relaying: new Map(),
    healthNotes,
    sender,
    notifier,
    wallets,
    walletQueries: new Set(),
    importOneAtATime: createKeyedMutex(),
    lists: createListReader(listModels, capacity),
    listCounts: createListCounts(models.ListCheckpoints, processClock.elapsedMs),
    chainWatch,
    apiSwitch,
    rateLimits,
    fullSandboxes: createFullSandboxes(processClock.elapsedMs),
    shortCodes: createShortCodePool(addModels(models, { secrets, log })),
    counters,
    liveCodes: createLiveCodeQuota(addModels(models, { now }), processClock.elapsedMs),
    queues,
    enqueue: queues.enqueue,
    boardQueues,
    mongo,
    transactions,
    stopping: new AbortController(),
    async close() {
      for (const each of all) await each?.close()
      databaseTime.close()
      await listsMongo.destroy()
      await mongo.destroy()
      await tracing?.close()
    },
  })
}

export async function initProcess(type: ProcessType) {
  const config = { ...loadConfig(), ...(type === 'worker' && { webConcurrency: 1 }) }
  const metrics = createMetrics()
  const log = createLog(config.logLevel, type, (level, line) => metrics.logLines.inc({ level, line }))
  exitOnCrash(log)
  const onStop = stopOnSignals(log)
  const deps = await openDeps(config, log, metrics, type)
  addProcessMetrics(metrics)
  // The first child of a cluster checks for all. One that replaces it has another id.
  if ((cluster.worker?.id ?? 1) > 1) return { config, log, deps, onStop }
  await checkTransactionLifetime(config, log)
  const prepare = () => (config.production ? requireSteps(deps) : updateDatabase(config, log))
  await retryWhileUnreachable(log, prepare)
  return { config, log, deps, onStop }
}
