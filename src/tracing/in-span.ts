import type { Deps } from '../platform/deps.ts'
import { Refusal } from '../platform/errors.ts'

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
