import { DiagLogLevel, diag } from '@opentelemetry/api'
import { ExportResultCode } from '@opentelemetry/core'
import type { SpanExporter } from '@opentelemetry/sdk-trace'
import { type Log, throttled } from '../platform/log.ts'

/** Lost traces do not affect payments, so one log line per minute is enough. */
const logEveryMs = 60_000

/** Logs that spans have been lost. `why` is an error code, an HTTP status or a message from the SDK. */
export type LogLoss = (fields: { why: string; spans?: number }) => void

export const createLogLoss = (log: Log): LogLoss =>
  throttled(logEveryMs, (fields) => log.warn(fields, 'traces.not-sent'))

/**
 * Logs the SDK's warnings about its environment variables and about dropped spans, without the values that the warnings
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
 * Wraps an exporter so that each failure is logged as one line, without the collector's response. The wrapper always
 * reports success to the SDK, because the SDK would otherwise log that response.
 */
export const reportingFailures = (exporter: SpanExporter, logLoss: LogLoss): SpanExporter => ({
  export(spans, done) {
    exporter.export(spans, (result) => {
      const { error } = result
      if (error !== undefined) logLoss({ why: whyOf(error), spans: spans.length })
      done({ code: ExportResultCode.SUCCESS })
    })
  },
  shutdown: () => exporter.shutdown(),
})

/**
 * Returns the error's code. If the error has no code, returns its message, because such a message comes from the SDK
 * and not from the collector.
 */
function whyOf(error: Error): string {
  const { code } = error as { code?: unknown }
  if (typeof code === 'number') return `status ${code}`
  return typeof code === 'string' ? code : error.message
}
