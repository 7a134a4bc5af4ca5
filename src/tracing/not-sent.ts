import { DiagLogLevel, diag } from '@opentelemetry/api'
import { ExportResultCode } from '@opentelemetry/core'
import type { SpanExporter } from '@opentelemetry/sdk-trace'
import { type Log, throttled } from '../platform/log.ts'

/** Lost traces don't affect payments, so one line per minute is enough. */
const logEveryMs = 60_000

/** `why` is an error code, an HTTP status or a message from the SDK. */
export type LogLoss = (fields: { why: string; spans?: number }) => void

export const createLogLoss = (log: Log): LogLoss =>
  throttled(logEveryMs, (fields) => log.warn(fields, 'traces.not-sent'))

/** The SDK warns about its environment variables and about dropped spans. The values that it quotes are left out. */
export function reportSdkWarnings(logLoss: LogLoss): void {
  const report = (message: string): void => logLoss({ why: message.replaceAll(/'[^']*'|"[^"]*"/g, '…') })
  const ignore = (): void => undefined
  diag.setLogger(
    { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
}

/** Logs failures without the collector's response. Hides them from the SDK, which would log that response. */
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

/** An error without a code has a message from the SDK, not from the collector, so it can be logged. */
function whyOf(error: Error): string {
  const { code } = error as { code?: unknown }
  if (typeof code === 'number') return `status ${code}`
  return typeof code === 'string' ? code : error.message
}
