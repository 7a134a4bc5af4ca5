import type { Config } from '../config/config.ts'
import type { Log } from '../platform/log.ts'
import type { Tracing } from './tracing.ts'

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
