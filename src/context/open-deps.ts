import { createApiSwitch } from '../businesses/api-switch.ts'
import { countStored } from '../businesses/quotas.ts'
import { type Config, loadConfig } from '../config/config.ts'
import { openChainWatch } from '../events/feed/chain-watch.ts'
import { createValidate } from '../input/validate.ts'
import { createShortCodes } from '../intents/codes.ts'
import { createFullSandboxes, createLiveCodes } from '../intents/live-codes.ts'
import { createCapacity } from '../limits/capacity.ts'
import { openCounters } from '../limits/counter.ts'
import { createRequestMemory } from '../limits/memory.ts'
import { createAddToSums, createRateLimits } from '../limits/rate.ts'
import { itemsPerCheckpoint, maxCheckpoints } from '../lists/checkpoint.ts'
import { createListCounts } from '../lists/counts.ts'
import { createLists, listConnections } from '../lists/lists.ts'
import { longestReadMs } from '../lists/pagination.ts'
import { createMetrics, type Metrics, measureProcess } from '../metrics/metrics.ts'
import { bytesOf } from '../mongo/collection.ts'
import { awaitMongo, checkTransactionLifetime, retryWhileUnreachable } from '../mongo/connect.ts'
import { noShift, openDatabaseTime, type Shift } from '../mongo/database-time.ts'
import { openTransactions } from '../mongo/transaction.ts'
import { createLog, type Log } from '../platform/log.ts'
import { createOneAtATime } from '../platform/one-at-a-time.ts'
import { processClock } from '../platform/process-clock.ts'
import { createRunningWork } from '../platform/running-work.ts'
import { endOnCrash, stopOnSignals } from '../platform/stop.ts'
import { version } from '../platform/version.ts'
import { openBoardQueues } from '../queues/board-queues.ts'
import { openQueues } from '../queues/queues.ts'
import { createSecrets } from '../security/encrypt.ts'
import { createSlowHash } from '../security/slow-hash.ts'
import { openTracing } from '../tracing/open.ts'
import { createLiveWallet } from '../wallets/live/live-wallet.ts'
import { createSandboxWallet } from '../wallets/sandbox/sandbox-wallet.ts'
import { openWallets } from '../wallets/wallet.ts'
import { createHealthNotes } from '../webhooks/attempts/record-health.ts'
import { createSlots, maxAttemptsInFlight } from '../webhooks/attempts/slots.ts'
import { createLeases } from '../webhooks/deliveries/lease.ts'
import { createSender } from '../webhooks/sender/send.ts'
import { openBatchers } from './batchers.ts'
import type { OpenedDeps } from './deps.ts'
import { makeIndexes } from './indexes.ts'
import { openModels, withModels } from './models.ts'

/** One socket per attempt, and one per endpoint test. */
const maxSockets = maxAttemptsInFlight + 200

/** The process types in the Procfile. */
export type ProcessType = 'web' | 'worker'

/** Waits for MongoDB, but not for Redis. Tests set the clock with `shift`. */
export async function openDeps(
  config: Config,
  log: Log,
  metrics: Metrics,
  processType: ProcessType,
  shift: Shift = noShift,
): Promise<OpenedDeps> {
  const tracing = await openTracing(config, log, processType)
  const mongo = await awaitMongo(config, log, {})
  const databaseTime = await retryWhileUnreachable(log, () => openDatabaseTime(mongo, log, shift))
  const { now } = databaseTime
  const models = openModels(mongo)
  const listsMongo = await awaitMongo(config, log, listConnections)
  const listModels = openModels(listsMongo, longestReadMs)
  const chainWatch = openChainWatch(listModels, log)
  const queues = openQueues(config, log)
  const boardQueues = openBoardQueues(config, log)
  const sender = createSender({
    timeoutMs: config.webhookTimeoutMs,
    allowedHosts: config.webhookAllowedHosts,
    blockedRanges: config.webhookBlockedRanges,
    maxSockets,
    userAgent: `${config.webhookHeaderBrand}-Webhooks/${version} (+${new URL('/docs', config.publicUrl).href})`,
  })
  const capacity = createCapacity()
  const slowHash = createSlowHash(config.hashMemoryKib)
  const { walletProvider } = config
  const liveWallet = walletProvider && createLiveWallet({ config, log, now }, walletProvider)
  const transactions = openTransactions(mongo)
  const sandboxWallet = createSandboxWallet(withModels(models, { config, transactions, now, slowHash }))
  const wallets = openWallets(sandboxWallet, liveWallet)
  const healthNotes = createHealthNotes(models, log)
  const apiSwitch = await retryWhileUnreachable(log, () => createApiSwitch(models.Setting))
  const counters = openCounters(withModels(models, { now, log }))
  const batchers = openBatchers(withModels(models, { transactions }), now, log, (owner, documents) =>
    countStored({ counters, config }, owner, { others: documents.length, bytes: bytesOf(...documents) }),
  )
  const { rateLimitPerSecond: perSecond } = config
  const secrets = createSecrets(config.secretKeys)
  const addToSums = createAddToSums(queues.runCommands, `${config.queuePrefix}:rate`, secrets.hash)
  const rateLimits = perSecond === null ? null : createRateLimits(perSecond, addToSums, now)
  return withModels(models, {
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
    leases: createLeases(models.Delivery, now),
    slots: createSlots(),
    capacity,
    memory: createRequestMemory(capacity),
    backgroundWork: createRunningWork(),
    relaying: new Map(),
    healthNotes,
    sender,
    wallets,
    walletQueries: new Set(),
    importOneAtATime: createOneAtATime(),
    lists: createLists(listModels, capacity),
    listCounts: createListCounts(models.ListCheckpoints, processClock.elapsedMs, {
      itemsPerCheckpoint,
      maxCheckpoints,
    }),
    chainWatch,
    apiSwitch,
    rateLimits,
    fullSandboxes: createFullSandboxes(processClock.elapsedMs),
    shortCodes: createShortCodes(withModels(models, { secrets, log })),
    counters,
    liveCodes: createLiveCodes(withModels(models, { now }), processClock.elapsedMs),
    queues,
    enqueue: queues.enqueue,
    boardQueues,
    mongo,
    transactions,
    stopping: new AbortController(),
    async close() {
      chainWatch.close()
      apiSwitch.close()
      rateLimits?.close()
      await queues.close()
      await boardQueues.close()
      await sender.close()
      await healthNotes.close()
      await counters.close()
      await wallets.close()
      databaseTime.close()
      await listsMongo.destroy()
      await mongo.destroy()
      await tracing?.close()
    },
  })
}

/** Opens what a process needs to handle requests or jobs. Pass `onStop` the function that closes the process. */
export async function openProcess(type: ProcessType) {
  const config = loadConfig()
  const metrics = createMetrics()
  const log = createLog(config.logLevel, type, (level, line) => metrics.logLines.inc({ level, line }))
  endOnCrash(log)
  const onStop = stopOnSignals(log)
  const deps = await openDeps(config, log, metrics, type)
  measureProcess(metrics)
  await checkTransactionLifetime(config, log)
  if (!config.production) await retryWhileUnreachable(log, () => makeIndexes(config, log))
  return { config, log, deps, onStop }
}
