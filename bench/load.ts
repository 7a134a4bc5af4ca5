// Puts load on one URL in a separate process. Prints the result as one line of JSON.
import autocannon from 'autocannon'

export interface Load {
  url: string
  seconds: number
  connections: number
  body: unknown
  apiKeys: string[]
}

export interface LoadResult {
  perSecond: number
  p50: number
  p99: number
  /** Responses other than 2xx, and requests without a response. */
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
const loadResult: LoadResult = {
  perSecond: result['2xx'] / result.duration,
  p50: result.latency.p50,
  p99: result.latency.p99,
  failed: result.non2xx + result.errors + result.timeouts,
}
console.log(JSON.stringify(loadResult))
