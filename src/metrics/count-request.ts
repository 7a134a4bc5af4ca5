import type { Metrics } from './metrics.ts'

/** The facts that the metrics record about a request that has ended. */
export interface EndedRequest {
  /** The method and path pattern, or null if no route matched. */
  route: string | null
  /** The error code if the request was rejected, otherwise null. */
  code: string | null
  /** The HTTP status, or null if the client disconnected before the response was sent. */
  status: number | null
  seconds: number
  replayed: 'same' | 'other' | null
}

/**
 * The methods that have their own label. All other methods share one label, because clients may send any method that
 * the Node.js parser accepts.
 */
const ownMethods = /^(GET|HEAD|POST|PUT|PATCH|DELETE) /

export function countRequest(metrics: Metrics, { route, code, status, seconds, replayed }: EndedRequest): void {
  const label = route !== null && ownMethods.test(route) ? route : 'other'
  metrics.requests.inc({ route: label, code: status === null ? 'gone' : (code ?? String(status)) })
  metrics.requestDuration.observe({ route: label, result: resultOf(status) }, seconds)
  if (replayed !== null) metrics.replays.inc({ params: replayed })
}

function resultOf(status: number | null): 'ok' | 'refused' | 'failed' | 'gone' {
  if (status === null) return 'gone'
  if (status >= 500) return 'failed'
  return status >= 400 ? 'refused' : 'ok'
}
