import type { Deps } from '../deps.ts'
import { Refusal } from '../errors.ts'
import type { Span } from './tracing.ts'

/** Runs a part of a traced request or job in a separate span. If tracing is off, runs that part without a span. */
export function inSpan<T>(
  { tracing }: Pick<Deps, 'tracing'>,
  name: string,
  parent: string | null,
  act: () => Promise<T>,
): Promise<T> {
  return tracing === null ? act() : within(tracing.begin(name, 'part', parent), act)
}

async function within<T>(span: Span, act: () => Promise<T>): Promise<T> {
  let failed = false
  try {
    return await act()
  } catch (error) {
    failed = !(error instanceof Refusal) || error.statusCode >= 500
    throw error
  } finally {
    span.end({ facts: {}, failed })
  }
}
