import type { Config } from '../config/config.ts'
import type { Log } from '../platform/log.ts'
import type { Tracing } from './tracing.ts'

/**
 * Sets up tracing, or returns null if tracing is off. OpenTelemetry is loaded only if tracing is on, because it uses 7
 * MB of memory and adds 0.1 s to each start.
 */
export async function openTracing(
  { otlpEndpoint, traceSampler }: Pick<Config, 'otlpEndpoint' | 'traceSampler'>,
  log: Log,
  processType: string,
): Promise<Tracing | null> {
  if (otlpEndpoint === null) return null
  const { createTracing } = await import('./otlp.ts')
  return createTracing(otlpEndpoint, traceSampler, log, processType)
}
