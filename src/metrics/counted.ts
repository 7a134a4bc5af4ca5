import { Counter, Histogram, type Registry } from 'prom-client'

/**
 * Seconds a request may take: most are quick, and MongoDB is waited for 8 s at most. A payment or refund waits for a wallet as well, some 20 s,
 * and a test of an endpoint for its receiver, by WEBHOOK_TIMEOUT_SECONDS for up to 120.
 */
const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120]
/** WEBHOOK_TIMEOUT_SECONDS is 30 unless set, and 120 at most. */
const attemptBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120]
/** Restoring the failed jobs after Redis was emptied may take minutes. */
const jobBuckets = [0.005, 0.025, 0.1, 0.25, 1, 2.5, 10, 30, 120]
/** WALLET_PROVIDER_TIMEOUT_SECONDS is 10 unless set, and 60 at most. */
const walletBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/**
 * What a process counts of its own doing. A count follows a write that succeeded: what a dying process or a lost answer hides is missing
 * here, and in MongoDB. docs/metrics.md says of each label which values it has.
 */
export function createCounted(registers: Registry[]) {
  return {
    requests: new Counter({
      name: 'payment_intents_http_requests_total',
      help: 'Requests by route and code',
      labelNames: ['route', 'code'],
      registers,
    }),
    requestDuration: new Histogram({
      name: 'payment_intents_http_request_duration_seconds',
      help: 'Time from the head of a request to the last byte of its answer',
      labelNames: ['route', 'result'],
      buckets: requestBuckets,
      registers,
    }),
    replays: new Counter({
      name: 'payment_intents_idempotent_replays_total',
      help: 'Writes that were answered from what the first one with their idempotency key had heard',
      labelNames: ['params'],
      registers,
    }),
    /** `scope`: the limit that was exceeded (docs/api.md). */
    rateLimited: new Counter({
      name: 'payment_intents_rate_limited_total',
      help: 'Requests refused with RATE_LIMITED',
      labelNames: ['scope'],
      registers,
    }),
    lookups: new Counter({
      name: 'payment_intents_lookups_total',
      help: 'Lookups by short code and payment code, which visitors may be guessing',
      labelNames: ['kind', 'outcome'],
      registers,
    }),
    transitions: new Counter({
      name: 'payment_intents_transitions_total',
      help: 'Moves in the life of payment intents',
      labelNames: ['move', 'environment'],
      registers,
    }),
    attempts: new Counter({
      name: 'payment_intents_webhook_attempts_total',
      help: 'Attempts at deliveries by what they meant for the delivery, and where they failed',
      labelNames: ['outcome', 'stage', 'environment'],
      registers,
    }),
    attemptDuration: new Histogram({
      name: 'payment_intents_webhook_attempt_duration_seconds',
      help: 'Time from looking a receiver up to the end of its answer',
      labelNames: ['outcome'],
      buckets: attemptBuckets,
      registers,
    }),
    jobs: new Histogram({
      name: 'payment_intents_job_duration_seconds',
      help: 'Jobs by queue and what became of them',
      labelNames: ['queue', 'outcome'],
      buckets: jobBuckets,
      registers,
    }),
    walletCalls: new Histogram({
      name: 'payment_intents_wallet_call_duration_seconds',
      help: 'Calls of a wallet by what it told',
      labelNames: ['wallet', 'outcome'],
      buckets: walletBuckets,
      registers,
    }),
    /** `kind`: the collection, or what of its documents went. */
    removed: new Counter({
      name: 'payment_intents_retention_removed_total',
      help: 'What the clean-up took away: documents, or of attempts and answers documents that lost theirs',
      labelNames: ['kind'],
      registers,
    }),
    logLines: new Counter({
      name: 'payment_intents_log_lines_total',
      help: 'Lines of the log at warn and error, by their name',
      labelNames: ['level', 'line'],
      registers,
    }),
  }
}
