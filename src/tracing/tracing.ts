/**
 * A part of a trace that is still running. A span is ended only once, and is never sent if `end` is not called.
 * `traceparent` identifies this span as the parent of further spans, in the format of the W3C header.
 */
export interface Span {
  traceId: string
  traceparent: string
  /** Links to the caller's own trace, which this span is not part of. */
  link(traceparent: string): void
  /** Ends the span and sends those `facts` that attributes.ts lists. The facts are the fields of a log line. */
  end(how: { facts: Record<string, unknown>; failed: boolean; name?: string }): void
}

/**
 * `request`: an HTTP request that is being served; `job`: a job of a queue; `call`: a call to another machine; `part`:
 * a part of one of these.
 */
export type SpanKind = 'request' | 'job' | 'call' | 'part'

/** Starts spans and sends them. If nothing is traced, `deps.tracing` is null and OpenTelemetry is not loaded. */
export interface Tracing {
  /** Starts a span. If the parent is null or malformed, the span starts a new trace. */
  begin(name: string, kind: SpanKind, parent: string | null): Span
  /** Sends the remaining spans. Takes at most 2 s. */
  close(): Promise<void>
}
