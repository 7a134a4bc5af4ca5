/**
 * A piece of work under way, seen beside the others of its trace. Ended once; one that is never ended is never sent. `traceparent` is where
 * what it causes goes on from, in the form of the W3C's header of that name.
 */
export interface Span {
  traceId: string
  traceparent: string
  /** Points to a trace that this work was done for, and that it is no part of. */
  link(traceparent: string): void
  /** `facts`: as in a log line; only those of attributes.ts are told. */
  end(how: { facts: Record<string, unknown>; failed: boolean; name?: string }): void
}

/** `request`: somebody waits for it; `job`: of a queue; `call`: of another machine; `part` of any of these. */
export type SpanKind = 'request' | 'job' | 'call' | 'part'

/** What sends traces. `deps.tracing` is null where nothing is traced, and then none of OpenTelemetry is loaded. */
export interface Tracing {
  /** With a parent that is null or not well-formed a trace begins. */
  begin(name: string, kind: SpanKind, parent: string | null): Span
  /** Sends what is left, for 2 s at most. */
  close(): Promise<void>
}
