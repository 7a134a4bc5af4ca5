import type { Config } from '../config/config.ts'
import type { Deps } from '../platform/deps.ts'
import { Refusal } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'

/** `end` must be called once, or the span is never sent. `traceparent` has the format of the W3C header. */
export interface Span {
  traceId: string
  traceparent: string
  /** Links this span to the caller's trace, without making it part of that trace. */
  link(traceparent: string): void
  /** `facts` are the fields of a log line. Those listed in otlp.ts are sent with the span. */
  end(how: { facts: Record<string, unknown>; failed: boolean; name?: string }): void
}

/** A `request` is being served, a `job` is from a queue, a `call` leaves this machine, a `part` is in one of these. */
export type SpanKind = 'request' | 'job' | 'call' | 'part'

export interface Tracing {
  /** If the parent is null or malformed, the span starts a new trace. */
  begin(name: string, kind: SpanKind, parent: string | null): Span
  /** Sends the remaining spans, which takes at most 2 s. */
  close(): Promise<void>
}

/** Returns null if tracing is off. OpenTelemetry isn't loaded then, which saves 7 MB and 0.1 s at each start. */
export async function openTracing(
  { otlpEndpoint, traceSampler }: Pick<Config, 'otlpEndpoint' | 'traceSampler'>,
  log: Log,
  processType: string,
): Promise<Tracing | null> {
  if (otlpEndpoint === null) return null
  const { createTracing } = await import('./otlp.ts')
  return createTracing(otlpEndpoint, traceSampler, log, processType)
}

/** What caused an event. `traceparent` is the span to trace it under, or null if the request isn't traced. */
export interface Cause {
  requestId: string
  traceparent: string | null
}

/** Runs `act` in a span of its own if tracing is on. */
export async function inSpan<T>(
  { tracing }: Pick<Deps, 'tracing'>,
  name: string,
  parent: string | null,
  act: () => Promise<T>,
): Promise<T> {
  const span = tracing?.begin(name, 'part', parent)
  let failed = false
  try {
    return await act()
  } catch (error) {
    failed = !(error instanceof Refusal) || error.statusCode >= 500
    throw error
  } finally {
    span?.end({ facts: {}, failed })
  }
}
