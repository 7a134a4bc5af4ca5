import { Counter, Histogram, type Registry } from '@prometheus-io/client'
import { faults } from '../webhooks/sender/faults.ts'

/**
 * The buckets for request durations, in seconds. Most requests are quick and wait at most 8 s for MongoDB. A payment or
 * refund also waits about 20 s for a wallet. An endpoint test waits up to WEBHOOK_TIMEOUT_SECONDS, which is at most
 * 120.
 */
const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120]
/**
 * The buckets for the durations of webhook attempts, in seconds. The longest attempt takes WEBHOOK_TIMEOUT_SECONDS,
 * which is 30 by default and at most 120.
 */
const attemptBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120]
/**
 * The buckets for job durations, in seconds. The longest job restores the failed jobs after Redis has been emptied.
 * This may take minutes.
 */
const jobBuckets = [0.005, 0.025, 0.1, 0.25, 1, 2.5, 10, 30, 120]
/**
 * The buckets for the durations of calls to wallets, in seconds. The longest call takes
 * WALLET_PROVIDER_TIMEOUT_SECONDS, which is 10 by default and at most 60.
 */
const walletBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/**
 * Creates the counters and histograms for this process's work. An event is counted after its write has succeeded. The
 * event is therefore not counted if the process dies right after the write or if MongoDB's response is lost.
 * docs/operators/watch.md lists the values of each label.
 */
export function createCounted(registers: Registry[]) {
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name: `payment_intents_${name}`, help, labelNames, registers })
  const histogram = <Label extends string>(name: string, help: string, labelNames: Label[], buckets: number[]) =>
    new Histogram({ name: `payment_intents_${name}`, help, labelNames, buckets, registers })
  return {
    requests: counter('http_requests_total', 'Finished requests.', ['route', 'code']),
    requestDuration: histogram(
      'http_request_duration_seconds',
      'Duration of a request, to the last byte of the response.',
      ['route', 'result'],
      requestBuckets,
    ),
    replays: counter('idempotent_replays_total', 'Writes that got the stored response of an earlier one.', ['params']),
    /** The label `scope` names the limit that was exceeded (docs/merchants/errors.md). */
    rateLimited: counter('rate_limited_total', 'Requests refused with RATE_LIMITED.', ['scope']),
    lookups: counter('lookups_total', 'Lookups by short code or payment code.', ['kind', 'outcome']),
    transitions: counter('transitions_total', 'Transitions of payment intents.', ['transition', 'environment']),
    attempts: counter('webhook_attempts_total', 'Attempts at deliveries, without endpoint tests.', [
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
    /**
     * The label `kind` names the collection from which documents were removed, or the part of the documents that was
     * removed.
     */
    removed: counter('retention_removed_total', 'Documents that the clean-up removed or shortened.', ['kind']),
    logLines: counter('log_lines_total', 'Log lines at warn and error. Frequent ones count once in 5 s.', [
      'level',
      'line',
    ]),
  }
}

/**
 * The log lines that trigger alerts: all lines at level `error`, and the lines at level `warn` that require an
 * operator's attention.
 */
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

/**
 * Initialises to 0 the counters that alerts watch. Prometheus detects no increase in a counter that first appears with
 * the value 1, so the first event in a process would not trigger an alert.
 */
export function beginAtZero({ logLines, lookups, attempts }: ReturnType<typeof createCounted>): void {
  for (const [level, lines] of Object.entries(watchedLines)) for (const line of lines) logLines.inc({ level, line }, 0)
  for (const kind of ['link', 'code', 'test-code'])
    for (const outcome of ['found', 'missed', 'closed']) lookups.inc({ kind, outcome }, 0)
  const failing = [...new Set(['status', ...Object.values(faults).map(({ stage }) => stage)])]
  for (const environment of ['live', 'test'])
    for (const outcome of ['delivered', 'retrying', 'dead', 'lease-lost'])
      for (const stage of stagesOf(outcome, failing)) attempts.inc({ outcome, stage, environment }, 0)
}

/** Returns the `stage` labels that an outcome can have. Only failed attempts have a stage. */
const stagesOf = (outcome: string, failing: readonly string[]): readonly string[] =>
  outcome === 'delivered' || outcome === 'lease-lost' ? ['none'] : failing
