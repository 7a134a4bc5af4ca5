import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client'
import { queueNames } from '../../schemas/jobs.ts'
import { failureStages } from '../../schemas/responses/webhooks.ts'
import { dayMs } from '../platform/time.ts'

/** Only the ten highest values of a kind are labelled with a business id. */
export type Metrics = ReturnType<typeof createMetrics>

/** Tests run two services in one process, so each has its own registry. */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  const counters = mapLines(counterLines, (line) => new Counter(readLine(line, registers))) as Counters
  const histograms = mapLines(histogramLines, ([line, buckets]) => {
    return new Histogram({ ...readLine(line, registers), buckets })
  }) as Histograms
  const gauges = mapLines(gaugeLines, (line) => {
    const gauge = new Gauge({ ...readLine(line, registers), aggregator: aggregatorOf(line) })
    if (!line.includes('{')) gauge.remove()
    return gauge
  }) as Gauges
  beginAtZero(counters)
  return { registry, ...counters, ...histograms, gauges }
}

/** Several `web` processes share `/metrics`. Most gauges describe a server. */
const aggregatorOf = (line: string): 'min' | 'max' | 'sum' =>
  /^\w+_up /.test(line) ? 'min' : line.startsWith('capacity_used') ? 'sum' : 'max'

const mapLines = <Line>(lines: Record<string, Line>, create: (line: Line) => unknown): object =>
  Object.fromEntries(Object.entries(lines).map(([name, line]) => [name, create(line)]))

/** Collecting these iterates over all connections, or needs a fast timer. */
const leftOut = [
  ...['handles', 'requests', 'resources'].flatMap((kind) => [
    `nodejs_active_${kind}`,
    `nodejs_active_${kind}_total`,
  ]),
  'nodejs_eventloop_utilization_summary',
  'nodejs_eventloop_utilization_histogram',
]

/** Unlike `createMetrics`, this may run only once per process. */
export function addProcessMetrics({ registry }: Pick<Metrics, 'registry'>): void {
  collectDefaultMetrics({ register: registry, eventLoopUtilizationTimeout: dayMs })
  for (const name of leftOut) registry.removeSingleMetric(name)
}

/** In seconds. An endpoint test takes up to WEBHOOK_TIMEOUT_SECONDS. */
const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120]
/** In seconds, up to the largest WEBHOOK_TIMEOUT_SECONDS. */
const attemptBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120]
/** In seconds. Restoring failed jobs to an empty Redis can take minutes. */
const jobBuckets = [0.005, 0.025, 0.1, 0.25, 1, 2.5, 10, 30, 120]
/** In seconds, up to the largest WALLET_PROVIDER_TIMEOUT_SECONDS. */
const walletBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

type NamesIn<Names extends string> = Names extends `${infer First},${infer Others}`
  ? First | NamesIn<Others>
  : Names
type LabelsIn<Line> = Line extends `${string}{${infer Names}} ${string}` ? NamesIn<Names> : never

/** A line is a name without its prefix, labels in braces, and help text. */
function readLine(line: string, registers: Registry[]) {
  const [, name, labels, help = ''] = /^(\w+)(?:\{(.+?)\})? (.+)$/.exec(line) ?? []
  return { name: `payment_intents_${name}`, help, labelNames: labels?.split(',') ?? [], registers }
}

/** docs/operators/watch.md lists the labels' values. */
const counterLines = {
  requests: 'http_requests_total{route,code} Finished requests.',
  replays: 'idempotent_replays_total{params} Writes that got the stored response of an earlier write.',
  rateLimited: 'rate_limited_total{scope} Requests refused with RATE_LIMITED.',
  lookups: 'lookups_total{kind,outcome} Lookups by short code or payment code.',
  transitions: 'transitions_total{transition,environment} Transitions of payment intents.',
  attempts: 'webhook_attempts_total{outcome,stage,environment} Delivery attempts, without endpoint tests.',
  jobsDropped: 'jobs_dropped_total{queue} Jobs that this process did not add, because too many waited.',
  notices: 'notices_total{outcome} Messages to NOTICE_WEBHOOK_URL.',
  removed: 'retention_removed_total{kind} Documents that the clean-up removed or shortened.',
  logLines: 'log_lines_total{level,line} Log lines at warn and error. Frequent ones count once per 5 s.',
} as const
type Counters = { [Name in keyof typeof counterLines]: Counter<LabelsIn<(typeof counterLines)[Name]>> }

const histogramLines = {
  requestDuration: [
    'http_request_duration_seconds{route,result} Duration of a request, to the last byte of the response.',
    requestBuckets,
  ],
  attemptDuration: ['webhook_attempt_duration_seconds{outcome} Duration of an attempt.', attemptBuckets],
  jobs: ['job_duration_seconds{queue,outcome} Duration of a job.', jobBuckets],
  walletCalls: [
    'wallet_call_duration_seconds{wallet,outcome} Duration of a request to a wallet.',
    walletBuckets,
  ],
} as const
type Histograms = {
  [Name in keyof typeof histogramLines]: Histogram<LabelsIn<(typeof histogramLines)[Name][0]>>
}

export const alertedLogLines = {
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
function beginAtZero({ logLines, lookups, attempts, jobsDropped, notices }: Counters): void {
  for (const queue of queueNames) jobsDropped.inc({ queue }, 0)
  for (const [level, lines] of Object.entries(alertedLogLines))
    for (const line of lines) logLines.inc({ level, line }, 0)
  for (const outcome of ['sent', 'failed', 'given-up']) notices.inc({ outcome }, 0)
  for (const kind of ['link', 'code', 'test-code'])
    for (const outcome of ['found', 'missed', 'closed']) lookups.inc({ kind, outcome }, 0)
  for (const environment of ['live', 'test'])
    for (const outcome of ['delivered', 'retrying', 'dead', 'lease-lost'])
      for (const stage of stagesOf(outcome)) attempts.inc({ outcome, stage, environment }, 0)
}

const stagesOf = (outcome: string): readonly string[] =>
  outcome === 'delivered' || outcome === 'lease-lost' ? ['none'] : failureStages

/** Gauges are set at each scrape, and have no value if a query fails. */
const gaugeLines = {
  processClockSkew: "process_clock_skew_seconds How far the clock of this process is ahead of MongoDB's.",
  mongodbUp: 'mongodb_up 1 if MongoDB responds to this process.',
  mongodbPing: 'mongodb_ping_seconds Duration of a ping to MongoDB.',
  redisUp: 'redis_up 1 if Redis responds to this process.',
  redisPing: 'redis_ping_seconds Duration of a ping to Redis.',
  redisMemory: 'redis_memory_bytes{kind} Memory that Redis uses, and its maxmemory if set.',
  redisEvicts: 'redis_evicts 1 if a full Redis evicts keys.',
  queueJobs: 'queue_jobs{queue,state} Jobs in Redis.',
  queueWorkers: 'queue_workers{queue} Consumers of a queue; a worker process has several.',
  lastPollAt:
    'last_poll_timestamp_seconds{work} When this worker last polled MongoDB for this kind of due work.',
  attemptsInFlight:
    'attempts_in_flight{slots} Attempts that this worker is making; at most 1000 fast and 400 slow.',
  endpointsWaiting: 'endpoints_waiting Endpoints with deliveries that wait for a slot of this worker.',
  failingEndpoints:
    'failing_endpoints Active endpoints whose failure was reported and that have not recovered. Counted up to 1000.',
  dueDeliveries: 'due_deliveries Deliveries that are due, without those in flight. Counted up to 10000.',
  oldestDueDelivery: 'oldest_due_delivery_seconds How long the oldest due delivery has waited.',
  replaysRunning: 'replays_running Replays of webhook events that have not ended.',
  outboxLag: 'outbox_lag_seconds Age of the oldest event that has not been relayed.',
  expiryLag: 'expiry_lag_seconds How long the oldest overdue intent has waited to be expired.',
  openOutcomes: 'open_outcomes{kind} Payments and refunds with an unknown outcome. Counted up to 1000.',
  oldestOpenOutcome: 'oldest_open_outcome_seconds{kind} How long the oldest unknown outcome has been open.',
  capacityUsed: 'capacity_used{limit} How much of each limit this process is using.',
  liveCodesUsed: 'live_codes_used_ratio Share of all live payment codes in use, 0 to 1, give or take 0.02.',
  shortCodesUsed:
    'short_codes_used_ratio Share of all short codes that have been reserved, 0 to 1. They never become free again.',
  businessQuotaUsed:
    'business_quota_used_ratio{business,quota} Used share of a quota, for the ten businesses closest to it.',
  businessStoredBytes:
    'business_stored_bytes{business} Estimated stored bytes of the ten largest businesses.',
  lastAuditCheck: 'audit_last_check_timestamp_seconds When the audit trail was last verified.',
  lastNightCleaned: 'retention_last_night_timestamp_seconds The night of the last completed clean-up.',
} as const
type Gauges = { [Name in keyof typeof gaugeLines]: Gauge<LabelsIn<(typeof gaugeLines)[Name]>> }

/** An unknown value must not be reported as 0 or as the previous value. */
export function clearGauge(gauge: { reset(): void; remove(labels: Record<string, never>): void }): void {
  gauge.reset()
  gauge.remove({})
}
