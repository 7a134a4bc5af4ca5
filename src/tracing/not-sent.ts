import { DiagLogLevel, diag } from '@opentelemetry/api'
import type { SpanExporter } from '@opentelemetry/sdk-trace-node'
import { type Log, throttled } from '../process/log.ts'

/** Lost traces do not affect payments, so one log line per minute is enough. */
const logEveryMs = 60_000

/** Logs that spans have been lost. `why` is a code, a status, or the SDK's own message. */
export type LogLoss = (fields: { why: string; spans?: number }) => void

export const createLogLoss = (log: Log): LogLoss =>
  throttled(logEveryMs, (fields) => log.warn(fields, 'traces.not-sent'))

/**
 * Logs the SDK's own warnings, about its environment variables or about dropped spans, without the values that they
 * quote.
 */
export function reportSdkWarnings(logLoss: LogLoss): void {
  const report = (message: string): void => logLoss({ why: message.replaceAll(/'[^']*'|"[^"]*"/g, '…') })
  const ignore = (): void => undefined
  diag.setLogger(
    { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
}

/**
 * Wraps an exporter so that a failure becomes one log line without the collector's response. The SDK would log that
 * response, so the wrapper reports success to the SDK.
 */
export const reportingFailures = (exporter: SpanExporter, logLoss: LogLoss): SpanExporter => ({
  export(spans, done) {
    exporter.export(spans, (result) => {
      const { error } = result
      if (error !== undefined) logLoss({ why: whyOf(error), spans: spans.length })
      done(Object.assign(result, { code: 0, error: undefined }))
    })
  },
  shutdown: () => exporter.shutdown(),
})

/**
 * Returns the error's message only if the error has no code, because only then does the message come from the SDK
 * itself.
 */
function whyOf(error: Error): string {
  const { code } = error as { code?: unknown }
  if (typeof code === 'number') return `status ${code}`
  return typeof code === 'string' ? code : error.message
}
