import { DiagLogLevel, diag } from '@opentelemetry/api'
import { ExportResultCode } from '@opentelemetry/core'
import type { SpanExporter } from '@opentelemetry/sdk-trace'
import { type Log, throttled } from '../platform/log.ts'

/** Lost traces don't affect payments, so once a minute is enough. */
const logEveryMs = 60_000

/** `why`: an error code, an HTTP status or the SDK's message. */
export type LogLoss = (fields: { why: string; spans?: number }) => void

export const createLogLoss = (log: Log): LogLoss =>
  throttled(logEveryMs, (fields) => log.warn(fields, 'traces.not-sent'))

/** About its environment variables and dropped spans, without the values quoted. */
export function reportSdkWarnings(logLoss: LogLoss): void {
  const report = (message: string): void => logLoss({ why: message.replaceAll(/'[^']*'|"[^"]*"/g, '…') })
  const ignore = (): void => undefined
  diag.setLogger(
    { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
}

/**
 * Logs one line per failure, without the collector's response. Always reports success to the SDK, which would log that
 * response.
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

/** Without a code, the message: it's the SDK's, not the collector's. */
function whyOf(error: Error): string {
  const { code } = error as { code?: unknown }
  if (typeof code === 'number') return `status ${code}`
  return typeof code === 'string' ? code : error.message
}
