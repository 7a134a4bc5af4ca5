import type { Metrics } from './metrics.ts'

export interface EndedRequest {
  /** The method and path pattern, or null if no route matched. */
  route: string | null
  /** Null unless the request was refused. */
  code: string | null
  /** Null if the client disconnected before the response. */
  status: number | null
  seconds: number
  replayed: 'same' | 'other' | null
}

/** Other methods share one label, because clients may send any method that Node's parser accepts. */
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
