// Load on one address, as a process of its own: prints what came of it as one line of JSON.
import autocannon from 'autocannon'

export interface Load {
  url: string
  seconds: number
  connections: number
  body: unknown
  /** Taken in turn by the requests of a connection. */
  apiKeys: string[]
}

export interface Answered {
  perSecond: number
  p50: number
  p99: number
  /** Answers other than 2xx, and requests without one. */
  failed: number
}

const { url, seconds, connections, body, apiKeys } = JSON.parse(process.argv[2] ?? '') as Load

const result = await autocannon({
  url,
  connections,
  duration: seconds,
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
  idReplacement: true,
  requests: apiKeys.map((key) => ({
    headers: { Authorization: `Bearer ${key}`, 'X-Idempotency-Key': 'bench-[<id>]' },
  })),
})
const answered: Answered = {
  perSecond: result['2xx'] / result.duration,
  p50: result.latency.p50,
  p99: result.latency.p99,
  failed: result.non2xx + result.errors + result.timeouts,
}
console.log(JSON.stringify(answered))
