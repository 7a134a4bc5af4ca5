import type { Deps } from '../deps.ts'
import type { Span } from '../tracing/tracing.ts'
import type { Source } from '../webhooks/deliveries/new-delivery.ts'

/**
 * Calls `relay` with one span for each traced event. The attempts at the event's deliveries are traced under that span.
 */
export function tracedRelay<T>(
  { tracing }: Pick<Deps, 'tracing'>,
  source: Source,
  relay: (source: Source) => Promise<T>,
): Promise<T> {
  if (tracing === null) return relay(source)
  const spans: { span: Span; facts: Record<string, unknown> }[] = []
  const { businessId, sandbox, referenceNumber } = source
  const outbox = source.outbox.map((event) => {
    const { event: webhookEvent, requestId, traceparent } = event
    if (traceparent === undefined) return event
    const span = tracing.begin('outbox-relay', 'part', traceparent)
    spans.push({ span, facts: { businessId, sandbox, referenceNumber, webhookEvent, requestId } })
    return { ...event, traceparent: span.traceparent }
  })
  const end = (failed: boolean) => {
    for (const { span, facts } of spans) span.end({ facts, failed })
  }
  const relayed = relay({ ...source, outbox })
  relayed.then(
    () => end(false),
    () => end(true),
  )
  return relayed
}
