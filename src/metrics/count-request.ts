import type { Metrics } from './metrics.ts'

/** A request that has ended, as it is counted. */
export interface EndedRequest {
  /** Method and pattern; null where no route matched. */
  route: string | null
  /** The code of a refusal. */
  code: string | null
  /** Null: the caller was gone before the answer was out. */
  status: number | null
  seconds: number
  replayed: 'same' | 'other' | null
}

/** A caller may name any method that Node's parser knows; those that none of ours has are one. */
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
