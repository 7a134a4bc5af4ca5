import type { Deps } from '../platform/deps.ts'
import { Refusal } from '../platform/errors.ts'

/** `end` must be called once, or the span is never sent. */
export interface TraceSpan {
  traceId: string
  traceparent: string
  link(traceparent: string): void
  /** Only the `facts` listed in otlp.ts are sent. */
  end(how: { facts: Record<string, unknown>; failed: boolean; name?: string }): void
}

/** A `call` goes to another machine. A `part` is a step of another span. */
export type SpanKind = 'request' | 'job' | 'call' | 'part'

export interface Tracing {
  begin(name: string, kind: SpanKind, parent: string | null): TraceSpan
  close(): Promise<void>
}

export interface CausingRequest {
  requestId: string
  traceparent: string | null
}

export async function runInSpan<T>(
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
