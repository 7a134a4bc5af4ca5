import type { Metrics } from './metrics.ts'

/** A finished request, as the metrics count it. */
export interface EndedRequest {
  /** Method and pattern. Null if no route matched. */
  route: string | null
  /** The code of a refusal. */
  code: string | null
  /** Null: the client disconnected before the response was sent. */
  status: number | null
  seconds: number
  replayed: 'same' | 'other' | null
}

/** The methods that get a label of their own. Clients may send any method that Node's parser knows. */
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
