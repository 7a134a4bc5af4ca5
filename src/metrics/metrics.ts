import { Counter, Histogram, Registry } from 'prom-client'

/** What a process counts, for Prometheus. Every label has few values: no id, no key, no address is ever one. */
export type Metrics = ReturnType<typeof createMetrics>

/** Seconds a request may take: most are quick, and after 10 s of waiting on MongoDB or a wallet each has its answer. */
const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** A registry of its own for each `deps`, so that two services in one process do not add up. */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  return {
    registry,
    /** `code`: 200, or the code of the catalogue. */
    requests: new Histogram({
      name: 'payment_intents_http_request_duration_seconds',
      help: 'Requests by route and code',
      labelNames: ['route', 'code'],
      buckets: requestBuckets,
      registers,
    }),
    /** `scope`: key or address. */
    rateLimited: new Counter({
      name: 'payment_intents_rate_limited_total',
      help: 'Requests refused with RATE_LIMITED',
      labelNames: ['scope'],
      registers,
    }),
    /** `kind`: the collection, or what of its documents went. */
    removed: new Counter({
      name: 'payment_intents_retention_removed_total',
      help: 'What the clean-up took away',
      labelNames: ['kind'],
      registers,
    }),
  }
}
