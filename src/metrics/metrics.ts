import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client'
import { failureStages } from '../../schemas/responses/webhooks.ts'
import { dayMs } from '../platform/time.ts'

/** Labels have few values, and no keys or addresses. Business ids appear only for the ten highest values. */
export type Metrics = ReturnType<typeof createMetrics>

/** Creates its own registry, because tests run two services in one process. */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  const counted = createCounted(registers)
  beginAtZero(counted)
  return { registry, ...counted, gauges: createGauges(registers) }
}

/** The `nodejs_active_…` metrics iterate over all connections; the others need a timer every 100 ms. */
const leftOut = [
  ...['handles', 'requests', 'resources'].flatMap((kind) => [
    `nodejs_active_${kind}`,
    `nodejs_active_${kind}_total`,
  ]),
  'nodejs_eventloop_utilization_summary',
  'nodejs_eventloop_utilization_histogram',
]

/** Unlike `createMetrics`, this may run only once per process. */
export function measureProcess({ registry }: Pick<Metrics, 'registry'>): void {
  collectDefaultMetrics({ register: registry, eventLoopUtilizationTimeout: dayMs })
  for (const name of leftOut) registry.removeSingleMetric(name)
}

/** In seconds. MongoDB takes up to 8, a wallet 20, an endpoint test WEBHOOK_TIMEOUT_SECONDS (up to 120). */
const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120]
/** In seconds, up to the largest WEBHOOK_TIMEOUT_SECONDS. */
const attemptBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120]
/** In seconds. Restoring failed jobs to an empty Redis can take minutes. */
const jobBuckets = [0.005, 0.025, 0.1, 0.25, 1, 2.5, 10, 30, 120]
/** In seconds, up to the largest WALLET_PROVIDER_TIMEOUT_SECONDS. */
const walletBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** Counted after the write, so a crash can lose a count. docs/operators/watch.md lists the labels' values. */
function createCounted(registers: Registry[]) {
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name: `payment_intents_${name}`, help, labelNames, registers })
  const histogram = <Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    buckets: number[],
  ) => new Histogram({ name: `payment_intents_${name}`, help, labelNames, buckets, registers })
  return {
    requests: counter('http_requests_total', 'Finished requests.', ['route', 'code']),
    requestDuration: histogram(
      'http_request_duration_seconds',
      'Duration of a request, to the last byte of the response.',
      ['route', 'result'],
      requestBuckets,
    ),
    replays: counter('idempotent_replays_total', 'Writes that got the stored response of an earlier one.', [
      'params',
    ]),
    rateLimited: counter('rate_limited_total', 'Requests refused with RATE_LIMITED.', ['scope']),
    lookups: counter('lookups_total', 'Lookups by short code or payment code.', ['kind', 'outcome']),
    transitions: counter('transitions_total', 'Transitions of payment intents.', [
      'transition',
      'environment',
    ]),
    attempts: counter('webhook_attempts_total', 'Delivery attempts, without endpoint tests.', [
      'outcome',
      'stage',
      'environment',
    ]),
    attemptDuration: histogram(
      'webhook_attempt_duration_seconds',
      'Duration of an attempt.',
      ['outcome'],
      attemptBuckets,
    ),
    jobs: histogram('job_duration_seconds', 'Duration of a job.', ['queue', 'outcome'], jobBuckets),
    walletCalls: histogram(
      'wallet_call_duration_seconds',
      'Duration of a request to a wallet.',
      ['wallet', 'outcome'],
      walletBuckets,
    ),
    removed: counter('retention_removed_total', 'Documents that the clean-up removed or shortened.', [
      'kind',
    ]),
    logLines: counter('log_lines_total', 'Log lines at warn and error. Frequent ones count once in 5 s.', [
      'level',
      'line',
    ]),
  }
}

/** Lines that trigger alerts: all at `error`, and those at `warn` that need an operator. */
export const watchedLines = {
  error: [
    'process.crashed',
    'process.stop-failed',
    'request.failed',
    'response.unreadable',
    'shortcodes.key-unreadable',
    'payment.astray',
    'refund.astray',
    'wallet.exception',
    'webhook.source-missing',
    'ledger.full',
    'ledger.tampered',
    'ledger.not-verified',
    'audit.tampered',
    'audit.not-checked',
  ],
  warn: ['web.full', 'network.closed', 'webhook.interrupted'],
} as const

/** Prometheus sees no increase when a counter first appears as 1. */
function beginAtZero({ logLines, lookups, attempts }: ReturnType<typeof createCounted>): void {
  for (const [level, lines] of Object.entries(watchedLines))
    for (const line of lines) logLines.inc({ level, line }, 0)
  for (const kind of ['link', 'code', 'test-code'])
    for (const outcome of ['found', 'missed', 'closed']) lookups.inc({ kind, outcome }, 0)
  for (const environment of ['live', 'test'])
    for (const outcome of ['delivered', 'retrying', 'dead', 'lease-lost'])
      for (const stage of stagesOf(outcome)) attempts.inc({ outcome, stage, environment }, 0)
}

const stagesOf = (outcome: string): readonly string[] =>
  outcome === 'delivered' || outcome === 'lease-lost' ? ['none'] : failureStages

/** Set at each scrape. If a query fails, its gauge has no value. */
function createGauges(registers: Registry[]) {
  const gauge = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) => {
    const made = new Gauge({ name: `payment_intents_${name}`, help, labelNames, registers })
    if (labelNames.length === 0) made.remove()
    return made
  }
  return {
    processClockSkew: gauge(
      'process_clock_skew_seconds',
      "How far the clock of this process is ahead of MongoDB's.",
    ),
    mongodbUp: gauge('mongodb_up', '1 if MongoDB responds to this process.'),
    mongodbPing: gauge('mongodb_ping_seconds', 'Duration of a ping to MongoDB.'),
    redisUp: gauge('redis_up', '1 if Redis responds to this process.'),
    redisPing: gauge('redis_ping_seconds', 'Duration of a ping to Redis.'),
    redisMemory: gauge('redis_memory_bytes', 'Memory that Redis uses, and its maxmemory if set.', ['kind']),
    redisEvicts: gauge('redis_evicts', '1 if a full Redis evicts keys.'),
    queueJobs: gauge('queue_jobs', 'Jobs in Redis.', ['queue', 'state']),
    queueWorkers: gauge('queue_workers', 'Consumers of a queue; a worker process has several.', ['queue']),
    lastPollAt: gauge(
      'last_poll_timestamp_seconds',
      'When this worker last looked in MongoDB for due work of a kind.',
      ['work'],
    ),
    attemptsInFlight: gauge(
      'attempts_in_flight',
      'Attempts that this worker is making; at most 1000 fast and 400 slow.',
      ['slots'],
    ),
    endpointsWaiting: gauge(
      'endpoints_waiting',
      'Endpoints with deliveries that wait for a slot of this worker.',
    ),
    failingEndpoints: gauge(
      'failing_endpoints',
      'Active endpoints whose failure was reported and that have not recovered. Counted up to 1000.',
    ),
    dueDeliveries: gauge(
      'due_deliveries',
      'Deliveries that are due, without those in flight. Counted up to 10000.',
    ),
    oldestDueDelivery: gauge('oldest_due_delivery_seconds', 'How long the oldest of them has been due.'),
    replaysRunning: gauge('replays_running', 'Replays of webhook events that have not ended.'),
    outboxLag: gauge('outbox_lag_seconds', 'Age of the oldest event that has not become deliveries.'),
    expiryLag: gauge(
      'expiry_lag_seconds',
      'How long the oldest intent past its expiry has waited to be expired.',
    ),
    openOutcomes: gauge(
      'open_outcomes',
      'Payments and refunds with an unknown outcome. Counted up to 1000.',
      ['kind'],
    ),
    oldestOpenOutcome: gauge('oldest_open_outcome_seconds', 'How long the oldest of them has been open.', [
      'kind',
    ]),
    capacityUsed: gauge('capacity_used', 'How much of each of its limits this process has in use.', [
      'limit',
    ]),
    liveCodesUsed: gauge(
      'live_codes_used_ratio',
      'Share of all live payment codes in use, 0 to 1, give or take 0.02.',
    ),
    shortCodesUsed: gauge(
      'short_codes_used_ratio',
      'Share of all short codes that have been reserved, 0 to 1. They are never free again.',
    ),
    businessQuotaUsed: gauge(
      'business_quota_used_ratio',
      'Used share of a quota, of the ten businesses nearest to it.',
      ['business', 'quota'],
    ),
    businessStoredBytes: gauge(
      'business_stored_bytes',
      'Estimated stored bytes of the ten largest businesses.',
      ['business'],
    ),
    lastAuditCheck: gauge('audit_last_check_timestamp_seconds', 'When the audit trail was last verified.'),
    lastNightCleaned: gauge(
      'retention_last_night_timestamp_seconds',
      'The night of the last completed clean-up.',
    ),
  }
}

/** An unknown value must not be reported as 0 or as the previous value. */
export function clearGauge(gauge: { reset(): void; remove(labels: Record<string, never>): void }): void {
  gauge.reset()
  gauge.remove({})
}
