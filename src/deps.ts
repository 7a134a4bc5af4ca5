import type { Connection } from 'mongoose'
import type { ApiSwitch } from './businesses/api-switch.ts'
import type { Config } from './config.ts'
import type { BodyBudget, BodyKind } from './http/body/budget.ts'
import type { ResponseBudget } from './http/responses/budget.ts'
import type { ReadPace } from './http/responses/read-pace.ts'
import type { Validate } from './input/validate.ts'
import type { FullSandboxes } from './intents/full-sandboxes.ts'
import type { ListCounts } from './lists/counts/counts.ts'
import type { Lists } from './lists/lists.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { Batchers } from './mongo/batchers.ts'
import type { DatabaseTime } from './mongo/database-time.ts'
import type { Models } from './mongo/models.ts'
import type { BackgroundWork } from './process/background-work.ts'
import type { FairSlots } from './process/fair-slots.ts'
import type { Log } from './process/log.ts'
import type { OneAtATime } from './process/one-at-a-time.ts'
import type { BoardQueues } from './queues/board-queues.ts'
import type { Enqueue, Queues } from './queues/queues.ts'
import type { Quotas } from './quotas/quota.ts'
import type { RateLimits } from './security/rate-limits/rate-limits.ts'
import type { Secrets } from './security/seal.ts'
import type { SlowHash } from './security/slow-hash.ts'
import type { Tracing } from './tracing/tracing.ts'
import type { Wallets } from './wallets/wallets.ts'
import type { HealthNotes } from './webhooks/attempts/record-health.ts'
import type { Slots } from './webhooks/attempts/slots/slots.ts'
import type { Leases } from './webhooks/deliveries/lease.ts'
import type { TestSlots } from './webhooks/endpoints/test-slots.ts'
import type { Sender } from './webhooks/sender/send.ts'

/**
 * The dependencies of an operation. They are its first argument, usually narrowed with `Pick`. src/open-deps.ts creates
 * them.
 */
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
  batchers: Batchers
  leases: Leases
  slots: Slots
  /** Running attempts and wallet queries that no job waits for. */
  backgroundWork: BackgroundWork
  /**
   * The ids of the documents that this process is relaying. `again`: new events may have arrived, so the document must
   * be relayed once more.
   */
  relaying: Map<string, 'once' | 'again'>
  healthNotes: HealthNotes
  sender: Sender
  testSlots: TestSlots
  /** Slots for documents whose events are being relayed. */
  relaySlots: FairSlots
  /** For groups of large documents that the relay reads (outbox/read-outboxes.ts). */
  largeOutboxes: FairSlots
  wallets: Wallets
  /** For wallet queries, because a wallet may hang for the customers of one business. */
  walletQuerySlots: FairSlots
  /** The keys of the payments and refunds whose outcome this process is querying. */
  walletQueries: Set<string>
  /** Runs imports and dry runs one at a time for each business: each may read megabytes and compute for seconds. */
  importOneAtATime: OneAtATime
  /** Runs attempts to place orders one at a time for each business. */
  orderOneAtATime: OneAtATime
  lists: Lists
  listCounts: ListCounts
  /**
   * Duplicates that wait long for the response of the first request, by business (src/http/operations/idempotency.ts).
   */
  longWaits: Map<string, number>
  apiSwitch: ApiSwitch
  /** Null: no limit. */
  rateLimits: RateLimits | null
  quotas: Quotas
  fullSandboxes: FullSandboxes
  /** The memory for large request bodies, by kind. */
  bodyBudgets: Record<BodyKind, BodyBudget>
  responses: ResponseBudget
  readPace: ReadPace
  queues: Queues
  enqueue: Enqueue
  boardQueues: BoardQueues
  mongo: Connection
  close(): Promise<void>
}
