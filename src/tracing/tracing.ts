/**
 * A running part of a trace. A span is ended once; without `end` it is never sent. `traceparent` identifies it as the
 * parent of further spans, in the format of the W3C header.
 */
export interface Span {
  traceId: string
  traceparent: string
  /** Links to the caller's own trace, which this span is not part of. */
  link(traceparent: string): void
  /** Sends the `facts` that attributes.ts names. They are the fields of a log line. */
  end(how: { facts: Record<string, unknown>; failed: boolean; name?: string }): void
}

/**
 * `request`: an HTTP request that is served; `job`: a job of a queue; `call`: a call to another machine; `part`: a part
 * of one of these.
 */
export type SpanKind = 'request' | 'job' | 'call' | 'part'

/** Begins spans and sends them. `deps.tracing` is null if nothing is traced. OpenTelemetry is then not loaded. */
export interface Tracing {
  /** Begins a span. If the parent is null or malformed, the span begins a new trace. */
  begin(name: string, kind: SpanKind, parent: string | null): Span
  /** Sends the remaining spans. Takes at most 2 s. */
  close(): Promise<void>
}
