import type { Connection } from 'mongoose'
import type { ApiSwitch } from '../businesses/api-switch.ts'
import type { Config } from '../config/config.ts'
import type { ChainWatch } from '../events/feed/chain-watch.ts'
import type { Validate } from '../input/validate.ts'
import type { FullSandboxes, LiveCodes } from '../intents/live-codes.ts'
import type { ShortCodes } from '../intents/short-codes.ts'
import type { Capacity } from '../limits/capacity.ts'
import type { Counters } from '../limits/counter.ts'
import type { RequestMemory } from '../limits/memory.ts'
import type { RateLimits } from '../limits/rate.ts'
import type { ListCounts } from '../lists/counts.ts'
import type { Lists } from '../lists/lists.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { DatabaseTime } from '../mongo/database-time.ts'
import type { Transactions } from '../mongo/transaction.ts'
import type { Log } from '../platform/log.ts'
import type { OneAtATime } from '../platform/one-at-a-time.ts'
import type { RunningWork } from '../platform/running-work.ts'
import type { BoardQueues } from '../queues/board-queues.ts'
import type { Enqueue, Queues } from '../queues/queues.ts'
import type { Secrets } from '../security/seal.ts'
import type { SlowHash } from '../security/slow-hash.ts'
import type { Tracing } from '../tracing/tracing.ts'
import type { Wallets } from '../wallets/wallet.ts'
import type { HealthNotes } from '../webhooks/attempts/record-health.ts'
import type { Slots } from '../webhooks/attempts/slots.ts'
import type { Leases } from '../webhooks/deliveries/lease.ts'
import type { Sender } from '../webhooks/sender/send.ts'
import type { Batchers } from './batchers.ts'
import type { Models } from './models.ts'

/**
 * The dependencies that every operation takes as its first argument, usually narrowed with `Pick`. They are created in
 * src/context/open-deps.ts.
 */
export interface Deps extends Models {
  config: Config
  log: Log
  metrics: Metrics
  /** If null, tracing is off. */
  tracing: Tracing | null
  /** Returns database time. All times that are stored or compared come from this clock (src/mongo/database-time.ts). */
  now(): Date
  databaseTime: Pick<DatabaseTime, 'unsure' | 'skewMs'>
  secrets: Secrets
  slowHash: SlowHash
  validate: Validate
  batchers: Batchers
  leases: Leases
  slots: Slots
  /** What this process has for requests and background work, shared fairly among businesses. */
  capacity: Capacity
  /** The memory of request bodies and responses, which is a part of `capacity`. */
  memory: RequestMemory
  /** Tracks webhook attempts and wallet queries that are in progress but that no job is waiting for. */
  backgroundWork: RunningWork
  /**
   * The ids of the documents whose events this process is relaying. The value `again` means that new events may have
   * arrived, so the document must be relayed once more.
   */
  relaying: Map<string, 'once' | 'again'>
  healthNotes: HealthNotes
  sender: Sender
  wallets: Wallets
  /** The keys of the payments and refunds whose outcomes this process is currently querying. */
  walletQueries: Set<string>
  /**
   * Runs each business's imports and dry runs one at a time, because a single run may read megabytes of data and
   * compute for several seconds.
   */
  importOneAtATime: OneAtATime
  lists: Lists
  listCounts: ListCounts
  /** Wakes held requests for the event feed (src/events/feed/read.ts). */
  chainWatch: ChainWatch
  apiSwitch: ApiSwitch
  /** If null, there is no limit. */
  rateLimits: RateLimits | null
  counters: Counters
  liveCodes: LiveCodes
  fullSandboxes: FullSandboxes
  shortCodes: ShortCodes
  queues: Queues
  enqueue: Enqueue
  boardQueues: BoardQueues
  mongo: Connection
  transactions: Transactions
  /** Aborted when the process stops. `/readyz` fails from then on, and each response closes its connection. */
  stopping: AbortController
  close(): Promise<void>
}
