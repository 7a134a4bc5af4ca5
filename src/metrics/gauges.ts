import { Gauge, type Registry } from 'prom-client'

export type Gauges = ReturnType<typeof createGauges>

/**
 * Gauges that are read from MongoDB and Redis at each scrape. Every process reports the same values, except for its own clock, what a worker
 * has of its own (polls, attempts, endpoints that wait), and the live codes of businesses: each `web` reports only businesses that created through it. If a read fails, the gauge has no value.
 */
export function createGauges(registers: Registry[]) {
  const gauge = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) => {
    const made = new Gauge({ name: `payment_intents_${name}`, help, labelNames, registers })
    omit(made)
    return made
  }
  return {
    processClockSkew: gauge(
      'process_clock_skew_seconds',
      'How far the wall clock of the process is ahead of the clock of MongoDB',
    ),
    mongodbUp: gauge('mongodb_up', '1 if MongoDB answers'),
    mongodbPing: gauge('mongodb_ping_seconds', 'How long MongoDB took to answer'),
    redisUp: gauge('redis_up', '1 if Redis answers'),
    redisPing: gauge('redis_ping_seconds', 'How long Redis took to answer'),
    redisMemory: gauge('redis_memory_bytes', 'Memory of Redis that is used, and the most it may use', [
      'kind',
    ]),
    redisEvicts: gauge('redis_evicts', '1 if Redis forgets keys when it is full'),
    queueJobs: gauge('queue_jobs', 'Jobs in Redis', ['queue', 'state']),
    queueWorkers: gauge('queue_workers', 'Loops of worker processes that take jobs from a queue', ['queue']),
    lastPollAt: gauge(
      'last_poll_timestamp_seconds',
      'When this worker last looked in MongoDB for the work of a queue',
      ['queue'],
    ),
    attemptsInFlight: gauge('attempts_in_flight', 'Attempts that this worker is making', ['slots']),
    endpointsWaiting: gauge('endpoints_waiting', 'Endpoints whose deliveries wait for slots of this worker'),
    dueDeliveries: gauge('due_deliveries', 'Deliveries whose next attempt is due'),
    oldestDueDelivery: gauge('oldest_due_delivery_seconds', 'For how long the oldest of them has been due'),
    outboxLag: gauge('outbox_lag_seconds', 'Age of the oldest event that is not handed on to deliveries'),
    expiryLag: gauge('expiry_lag_seconds', 'For how long the oldest PENDING intent has been past its expiry'),
    openOutcomes: gauge('open_outcomes', 'Payments and refunds between a wallet and their outcome', ['kind']),
    oldestOpenOutcome: gauge('oldest_open_outcome_seconds', 'Since when the oldest of them waits', ['kind']),
    responseBytes: gauge('response_bytes', 'Memory of responses that are being built or not read yet'),
    liveCodesUsed: gauge('live_codes_used_ratio', 'Share of the million payment codes of live mode in use'),
    businessLiveCodes: gauge('business_live_codes', 'Live payment codes that a business has in use', [
      'business',
    ]),
    businessLiveCodesUsed: gauge(
      'business_live_codes_used_ratio',
      'Share of its live code quota that a business has in use',
      ['business'],
    ),
    businessStoredBytes: gauge(
      'business_stored_bytes',
      'Estimate of the bytes that are stored for a business',
      ['business'],
    ),
    lastNightCleaned: gauge(
      'retention_last_night_timestamp_seconds',
      'The night of the last clean-up that came to its end',
    ),
  }
}

/** Takes its values away: what is not known is neither 0 nor what it was. */
export function omit(gauge: Gauge): void {
  gauge.reset()
  gauge.remove({})
}
