import type { Connection } from 'mongoose'
import type { ApiSwitch } from '../businesses/api-switch.ts'
import type { Config } from '../config/config.ts'
import type { ChainWatch } from '../events/feed/chain-watch.ts'
import type { Validate } from '../input/validate.ts'
import type { ShortCodes } from '../intents/codes.ts'
import type { FullSandboxes, LiveCodes } from '../intents/live-codes.ts'
import type { Capacity } from '../limits/capacity.ts'
import type { Counters } from '../limits/counter.ts'
import type { RequestMemory } from '../limits/memory.ts'
import type { RateLimits } from '../limits/rate.ts'
import type { ListCounts } from '../lists/counts.ts'
import type { Lists } from '../lists/lists.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { DatabaseTime } from '../mongo/database-time.ts'
import type { Transactions } from '../mongo/transaction.ts'
import type { Deps } from '../platform/deps.ts'
import type { OneAtATime } from '../platform/one-at-a-time.ts'
import type { RunningWork } from '../platform/running-work.ts'
import type { BoardQueues } from '../queues/board-queues.ts'
import type { Enqueue, Queues } from '../queues/queues.ts'
import type { Secrets } from '../security/encrypt.ts'
import type { SlowHash } from '../security/slow-hash.ts'
import type { Tracing } from '../tracing/tracing.ts'
import type { Wallets } from '../wallets/wallet.ts'
import type { HealthNotes } from '../webhooks/attempts/record-health.ts'
import type { Slots } from '../webhooks/attempts/slots.ts'
import type { Leases } from '../webhooks/deliveries/lease.ts'
import type { Sender } from '../webhooks/sender/send.ts'
import type { openBatchers } from './batchers.ts'
import type { ModelsOf } from './models.ts'

/** Everything that operations may depend on. What a folder adds can be used in its layer and above. */
declare module '../platform/deps.ts' {
  interface Deps {
    apiSwitch: ApiSwitch
    config: Config
    /** Wakes requests that wait for the event feed. */
    chainWatch: ChainWatch
    validate: Validate
    shortCodes: ShortCodes
    liveCodes: LiveCodes
    fullSandboxes: FullSandboxes
    /** The keys of payments and refunds that this process is querying right now. */
    walletQueries: Set<string>
    capacity: Capacity
    counters: Counters
    memory: RequestMemory
    rateLimits: RateLimits | null
    listCounts: ListCounts
    lists: Lists
    metrics: Metrics
    mongo: Connection
    databaseTime: Pick<DatabaseTime, 'unsure' | 'skewMs'>
    transactions: Transactions
    boardQueues: BoardQueues
    queues: Queues
    enqueue: Enqueue
    /** Documents whose events this process is relaying. `again`: new events may have arrived, so relay once more. */
    relaying: Map<string, 'once' | 'again'>
    secrets: Secrets
    backgroundWork: RunningWork
    slowHash: SlowHash
    /** Per business, because an import may read megabytes and compute for seconds. */
    importOneAtATime: OneAtATime
    tracing: Tracing | null
    wallets: Wallets
    healthNotes: HealthNotes
    slots: Slots
    leases: Leases
    sender: Sender
  }
  interface Models extends ModelsOf {}
  interface Batchers extends ReturnType<typeof openBatchers> {}
}

export type OpenedDeps = Deps
