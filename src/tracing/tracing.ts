import type { Deps } from '../platform/deps.ts'
import { Refusal } from '../platform/errors.ts'

/**
 * A span that is still running. `end` must be called once, otherwise the span is never sent. `traceparent` identifies
 * this span as the parent of further spans, in the format of the W3C header.
 */
export interface Span {
  traceId: string
  traceparent: string
  /** Links this span to the caller's trace. The span does not become part of that trace. */
  link(traceparent: string): void
  /**
   * Ends the span. `facts` are the fields of a log line. The fields that are listed in otlp.ts are sent with the
   * span.
   */
  end(how: { facts: Record<string, unknown>; failed: boolean; name?: string }): void
}

/**
 * The kind of work that a span covers. `request` is an HTTP request that is being served, `job` is a job from a queue,
 * `call` is a call to another machine, and `part` is a part of any of these.
 */
export type SpanKind = 'request' | 'job' | 'call' | 'part'

/** Starts spans and sends them. If tracing is off, `deps.tracing` is null and OpenTelemetry is not loaded. */
export interface Tracing {
  /** Starts a span. If the parent is null or malformed, the span starts a new trace. */
  begin(name: string, kind: SpanKind, parent: string | null): Span
  /** Sends the remaining spans, which takes at most 2 s. */
  close(): Promise<void>
}

/**
 * The request that caused an event. `traceparent` identifies the span under which the event is traced, or is null if
 * the request is not traced (src/tracing).
 */
export interface Cause {
  requestId: string
  traceparent: string | null
}

/** Runs a part of a traced request or job in a separate span. If tracing is off, runs that part without a span. */
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
