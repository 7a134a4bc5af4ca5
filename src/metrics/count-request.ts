import type { Metrics } from './metrics.ts'

/** A finished request, as the metrics record it. */
export interface EndedRequest {
  /** Method and path pattern. Null if no route matched. */
  route: string | null
  /** The error code of a rejected request, otherwise null. */
  code: string | null
  /** Null if the client disconnected before the response was sent. */
  status: number | null
  seconds: number
  replayed: 'same' | 'other' | null
}

/** The methods that get their own label. Clients may send any method that Node's parser accepts. */
const ownMethods = /^(GET|HEAD|POST|PUT|PATCH|DELETE) /

export function countRequest(
  metrics: Metrics,
  { route, code, status, seconds, replayed }: EndedRequest,
): void {
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
