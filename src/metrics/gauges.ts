import { Gauge, type Registry } from '@prometheus-io/client'

export type Gauges = ReturnType<typeof createGauges>

/**
 * Creates the gauges that are set at each scrape, mostly from MongoDB and Redis. All processes report the same values,
 * with three exceptions: each process reports its own clock, each worker reports its own polls, attempts and waiting
 * endpoints, and each `web` process reports quotas only for businesses that used them through it. If a query
 * fails, its gauge has no value.
 */
export function createGauges(registers: Registry[]) {
  const gauge = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) => {
    const made = new Gauge({ name: `payment_intents_${name}`, help, labelNames, registers })
    if (labelNames.length === 0) made.remove()
    return made
  }
  return {
    processClockSkew: gauge('process_clock_skew_seconds', "How far the clock of this process is ahead of MongoDB's."),
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
    endpointsWaiting: gauge('endpoints_waiting', 'Endpoints with deliveries that wait for a slot of this worker.'),
    failingEndpoints: gauge(
      'failing_endpoints',
      'Active endpoints whose failure was reported and that have not recovered. Counted up to 1000.',
    ),
    dueDeliveries: gauge('due_deliveries', 'Deliveries that are due, without those in flight. Counted up to 10000.'),
    oldestDueDelivery: gauge('oldest_due_delivery_seconds', 'How long the oldest of them has been due.'),
    replaysRunning: gauge('replays_running', 'Replays of webhook events that have not ended.'),
    outboxLag: gauge('outbox_lag_seconds', 'Age of the oldest event that has not become deliveries.'),
    expiryLag: gauge('expiry_lag_seconds', 'How long the oldest intent past its expiry has waited to be expired.'),
    openOutcomes: gauge('open_outcomes', 'Payments and refunds with an unknown outcome. Counted up to 1000.', ['kind']),
    oldestOpenOutcome: gauge('oldest_open_outcome_seconds', 'How long the oldest of them has been open.', ['kind']),
    capacityUsed: gauge('capacity_used', 'How much of each of its limits this process has in use.', ['limit']),
    liveCodesUsed: gauge('live_codes_used_ratio', 'Share of all live payment codes in use, 0 to 1, give or take 0.02.'),
    shortCodesUsed: gauge(
      'short_codes_used_ratio',
      'Share of all short codes that have been reserved, 0 to 1. They are never free again.',
    ),
    businessQuotaUsed: gauge(
      'business_quota_used_ratio',
      'Used share of a quota, of the ten businesses nearest to it.',
      ['business', 'quota'],
    ),
    businessStoredBytes: gauge('business_stored_bytes', 'Estimated stored bytes of the ten largest businesses.', [
      'business',
    ]),
    lastAuditCheck: gauge('audit_last_check_timestamp_seconds', 'When the audit trail was last verified.'),
    lastNightCleaned: gauge('retention_last_night_timestamp_seconds', 'The night of the last completed clean-up.'),
  }
}

/** Removes all values from a gauge, because an unknown value must not be reported as 0 or as the previous value. */
export function omit(gauge: { reset(): void; remove(labels: Record<string, never>): void }): void {
  gauge.reset()
  gauge.remove({})
}
