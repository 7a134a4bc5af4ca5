import type { Deps } from '../platform/deps.ts'
import { Refusal } from '../platform/errors.ts'

declare module '../platform/deps.ts' {
  interface Deps {
    /** Null: tracing is off. */
    tracing: Tracing | null
  }
}

/** Call `end` once, or the span is never sent. `traceparent`, in the W3C format, makes it the parent of others. */
export interface Span {
  traceId: string
  traceparent: string
  /** Links to the caller's trace without joining it. */
  link(traceparent: string): void
  /** Of `facts`, a log line's fields, those listed in otlp.ts are sent. */
  end(how: { facts: Record<string, unknown>; failed: boolean; name?: string }): void
}

/** `request`: being served. `job`: from a queue. `call`: to another machine. `part`: of any of these. */
export type SpanKind = 'request' | 'job' | 'call' | 'part'

export interface Tracing {
  /** A null or malformed parent starts a new trace. */
  begin(name: string, kind: SpanKind, parent: string | null): Span
  /** Sends what is left, within 2 s. */
  close(): Promise<void>
}

/**
 * The request that caused an event. `traceparent` is the span to trace the event under, or null if the request isn't
 * traced.
 */
export interface Cause {
  requestId: string
  traceparent: string | null
}

/** As a span of its own, if tracing is on. */
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
