import type { Deps } from '../deps.ts'
import type { Span } from '../tracing/tracing.ts'
import type { Source } from '../webhooks/deliveries/new-delivery.ts'

/** Calls `handOn` with one span per traced event. The deliveries of an event continue its span. */
export function tracedRelay<T>(
  { tracing }: Pick<Deps, 'tracing'>,
  source: Source,
  handOn: (source: Source) => Promise<T>,
): Promise<T> {
  if (tracing === null) return handOn(source)
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
  const handedOn = handOn({ ...source, outbox })
  handedOn.then(
    () => end(false),
    () => end(true),
  )
  return handedOn
}
