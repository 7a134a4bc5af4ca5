import * as api from '@opentelemetry/api'
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import * as resources from '@opentelemetry/resources'
import * as sdk from '@opentelemetry/sdk-trace'
import type { Config } from '../config/config.ts'
import { type Log, throttleLog } from '../platform/log.ts'
import { succeedsWithin } from '../platform/timeout.ts'
import { packageVersion } from '../platform/version.ts'
import type { SpanKind, TraceSpan, Tracing } from './tracing.ts'

const flushMs = 2000

/** The SDK buffers only 2,048 spans, so waiting longer would save no more. */
const timeoutMillis = 3000

const kinds = {
  request: api.SpanKind.SERVER,
  job: api.SpanKind.CONSUMER,
  call: api.SpanKind.CLIENT,
  part: api.SpanKind.INTERNAL,
} as const satisfies Record<SpanKind, api.SpanKind>

/** Callers pass the parent, because implicit context slows down promises. */
export function createTracing(
  { otlpEndpoint, traceSampler }: Pick<Config, 'otlpEndpoint' | 'traceSampler'>,
  log: Log,
  processType: string,
): Tracing {
  // Lost traces don't affect payments, so warn only once a minute.
  const logLoss: LogLoss = throttleLog(60_000, (fields) => log.warn(fields, 'traces.not-sent'))
  reportSdkWarnings(logLoss)
  const exporter = logFailedExports(
    new OTLPTraceExporter({ url: `${otlpEndpoint}/v1/traces`, timeoutMillis }),
    logLoss,
  )
  const provider = new sdk.TracerProvider({
    resource: resourceOf(processType),
    sampler: samplerOf(traceSampler),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
  })
  const tracer = provider.getTracer('payment-intents')
  return {
    begin: (name, kind, parent) =>
      spanOver(
        tracer.startSpan(name, { kind: kinds[kind] }, parent === null ? api.ROOT_CONTEXT : contextOf(parent)),
      ),
    async close() {
      if (!(await succeedsWithin(provider.shutdown(), flushMs))) logLoss({ why: 'the process ended first' })
    },
  }
}

const resourceOf = (processType: string) =>
  resources
    .defaultResource()
    .merge(resources.resourceFromAttributes({ 'service.name': `payment-intents-${processType}` }))
    .merge(resources.detectResources({ detectors: [resources.envDetector] }))
    .merge(resources.resourceFromAttributes({ 'service.version': packageVersion }))

function samplerOf({ name, ratio }: Config['traceSampler']): sdk.Sampler {
  let root: sdk.Sampler = new sdk.AlwaysOnSampler()
  if (name.endsWith('always_off')) root = new sdk.AlwaysOffSampler()
  if (name.endsWith('traceidratio')) root = new sdk.TraceIdRatioBasedSampler(ratio)
  return name.startsWith('parentbased') ? new sdk.ParentBasedSampler({ root }) : root
}

const propagator = new W3CTraceContextPropagator()

const contextOf = (traceparent: string): api.Context =>
  propagator.extract(api.ROOT_CONTEXT, { traceparent }, api.defaultTextMapGetter)

function spanOver(span: api.Span): TraceSpan {
  const carrier = { traceparent: '' }
  propagator.inject(api.trace.setSpan(api.ROOT_CONTEXT, span), carrier, api.defaultTextMapSetter)
  return {
    traceId: span.spanContext().traceId,
    traceparent: carrier.traceparent,
    link(traceparent) {
      const context = api.trace.getSpanContext(contextOf(traceparent))
      if (context !== undefined) span.addLink({ context })
    },
    end({ facts, failed, name }) {
      if (name !== undefined) span.updateName(name)
      span.setAttributes(attributesOf(facts))
      if (failed) span.setStatus({ code: api.SpanStatusCode.ERROR })
      span.end()
    },
  }
}

/** Never send a body, address, query, payment code, PIN or phone number. */
const sentFacts =
  'requestId code keyId businessId sandbox replayed reference deliveryId webhookEvent attempts outcome stage queue jobId'
const attributeNames = new Map([
  ...sentFacts.split(' ').map((name) => [name, name] as const),
  ['method', 'http.request.method'],
  ['route', 'http.route'],
  ['status', 'http.response.status_code'],
  ['referenceNumber', 'reference'],
])

function attributesOf(facts: Record<string, unknown>): api.Attributes {
  const attributes: api.Attributes = {}
  for (const [fact, name] of attributeNames) {
    const value = facts[fact]
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      attributes[name] = value
  }
  return attributes
}

type LogLoss = (fields: { why: string; spans?: number }) => void

/** Leaves out the values that the SDK quotes in its messages. */
export function reportSdkWarnings(logLoss: LogLoss): void {
  const report = (message: string): void => logLoss({ why: message.replaceAll(/'[^']*'|"[^"]*"/g, '…') })
  const ignore = (): void => undefined
  api.diag.setLogger(
    { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: api.DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
}

/** The SDK itself would also log the collector's response. */
export const logFailedExports = (exporter: sdk.SpanExporter, logLoss: LogLoss): sdk.SpanExporter => ({
  export(spans, done) {
    exporter.export(spans, (result) => {
      const { error } = result
      if (error !== undefined) logLoss({ why: whyOf(error), spans: spans.length })
      done({ code: ExportResultCode.SUCCESS })
    })
  },
  shutdown: () => exporter.shutdown(),
})

/** An error without a code comes from the SDK, not from the collector. */
function whyOf(error: Error): string {
  const { code } = error as { code?: unknown }
  if (typeof code === 'number') return `status ${code}`
  return typeof code === 'string' ? code : error.message
}
