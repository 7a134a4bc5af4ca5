import { Counter, Histogram, type Registry } from '@prometheus-io/client'

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
  return {
    requests: new Counter({
      name: 'payment_intents_http_requests_total',
      help: 'Finished requests.',
      labelNames: ['route', 'code'],
      registers,
    }),
    requestDuration: new Histogram({
      name: 'payment_intents_http_request_duration_seconds',
      help: 'Duration of a request, to the last byte of the response.',
      labelNames: ['route', 'result'],
      buckets: requestBuckets,
      registers,
    }),
    replays: new Counter({
      name: 'payment_intents_idempotent_replays_total',
      help: 'Writes that got the stored response of an earlier one.',
      labelNames: ['params'],
      registers,
    }),
    /** The label `scope` names the limit that was exceeded (docs/merchants/errors.md). */
    rateLimited: new Counter({
      name: 'payment_intents_rate_limited_total',
      help: 'Requests refused with RATE_LIMITED.',
      labelNames: ['scope'],
      registers,
    }),
    lookups: new Counter({
      name: 'payment_intents_lookups_total',
      help: 'Lookups by short code or payment code.',
      labelNames: ['kind', 'outcome'],
      registers,
    }),
    transitions: new Counter({
      name: 'payment_intents_transitions_total',
      help: 'Transitions of payment intents.',
      labelNames: ['transition', 'environment'],
      registers,
    }),
    attempts: new Counter({
      name: 'payment_intents_webhook_attempts_total',
      help: 'Attempts at deliveries, without endpoint tests.',
      labelNames: ['outcome', 'stage', 'environment'],
      registers,
    }),
    attemptDuration: new Histogram({
      name: 'payment_intents_webhook_attempt_duration_seconds',
      help: 'Duration of an attempt.',
      labelNames: ['outcome'],
      buckets: attemptBuckets,
      registers,
    }),
    jobs: new Histogram({
      name: 'payment_intents_job_duration_seconds',
      help: 'Duration of a job.',
      labelNames: ['queue', 'outcome'],
      buckets: jobBuckets,
      registers,
    }),
    walletCalls: new Histogram({
      name: 'payment_intents_wallet_call_duration_seconds',
      help: 'Duration of a request to a wallet.',
      labelNames: ['wallet', 'outcome'],
      buckets: walletBuckets,
      registers,
    }),
    /**
     * The label `kind` names the collection from which documents were removed, or the part of the documents that was
     * removed.
     */
    removed: new Counter({
      name: 'payment_intents_retention_removed_total',
      help: 'Documents that the clean-up removed or shortened.',
      labelNames: ['kind'],
      registers,
    }),
    logLines: new Counter({
      name: 'payment_intents_log_lines_total',
      help: 'Log lines at warn and error. Frequent ones count once in 5 s.',
      labelNames: ['level', 'line'],
      registers,
    }),
  }
}
