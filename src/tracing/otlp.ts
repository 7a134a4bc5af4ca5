import {
  type Span as ApiSpan,
  type Context,
  SpanKind as Kind,
  propagation,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import type { Log } from '../process/log.ts'
import { inTime } from '../process/timeout.ts'
import { version } from '../version.ts'
import { attributesOf } from './attributes.ts'
import { createComplaint, reportingFailures, reportSdkWarnings } from './not-sent.ts'
import type { Span, SpanKind, Tracing } from './tracing.ts'

/** A process that ends waits no longer for its last spans to be sent. */
const flushMs = 2000

/** One batch is under way at a time, and what comes meanwhile is kept up to 2 048 spans: a collector that is slower is as good as away. */
const timeoutMillis = 3000

const kinds = {
  request: Kind.SERVER,
  job: Kind.CONSUMER,
  call: Kind.CLIENT,
  part: Kind.INTERNAL,
} as const satisfies Record<SpanKind, Kind>

/**
 * Traces by the standard SDK, which sends them in batches and drops what is too much. How many are kept, and of what, its own variables say
 * (docs/operators/watch.md, "Traces"). No context follows the code around, which would cost every promise something: whoever begins a span knows its parent.
 */
export function createTracing(endpoint: string, log: Log, processType: string): Tracing {
  const complain = createComplaint(log)
  reportSdkWarnings(complain)
  const exporter = reportingFailures(
    new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis }),
    complain,
  )
  const provider = new NodeTracerProvider({
    resource: resourceOf(processType),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  })
  provider.register({ contextManager: null })
  const tracer = provider.getTracer('payment-intents')
  return {
    begin: (name, kind, parent) =>
      spanOver(
        tracer.startSpan(name, { kind: kinds[kind] }, parent === null ? ROOT_CONTEXT : placeOf(parent)),
      ),
    async close() {
      if (!(await inTime(provider.shutdown(), flushMs))) complain({ why: 'the process ended first' })
      trace.disable()
      propagation.disable()
    },
  }
}

/** What the collector knows the process by. OTEL_RESOURCE_ATTRIBUTES may add to it. */
const resourceOf = (processType: string) =>
  defaultResource()
    .merge(detectResources({ detectors: [envDetector] }))
    .merge(
      resourceFromAttributes({
        'service.name': `payment-intents-${processType}`,
        'service.version': version,
      }),
    )

const placeOf = (traceparent: string): Context => propagation.extract(ROOT_CONTEXT, { traceparent })

function spanOver(span: ApiSpan): Span {
  const carrier = { traceparent: '' }
  propagation.inject(trace.setSpan(ROOT_CONTEXT, span), carrier)
  return {
    traceId: span.spanContext().traceId,
    traceparent: carrier.traceparent,
    link(traceparent) {
      const context = trace.getSpanContext(placeOf(traceparent))
      if (context !== undefined) span.addLink({ context })
    },
    end({ facts, failed, name }) {
      if (name !== undefined) span.updateName(name)
      span.setAttributes(attributesOf(facts))
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },
  }
}
