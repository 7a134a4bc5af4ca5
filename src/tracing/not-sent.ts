import { DiagLogLevel, diag } from '@opentelemetry/api'
import type { SpanExporter } from '@opentelemetry/sdk-trace-node'
import { type Log, throttled } from '../process/log.ts'

/** Nothing rests on traces: a word about them a minute will do. */
const saidEveryMs = 60_000

/** Says that spans are lost, and why: by a code, a status, or the SDK's own words. */
export type Complaint = (fields: { why: string; spans?: number }) => void

export const createComplaint = (log: Log): Complaint =>
  throttled(saidEveryMs, (fields) => log.warn(fields, 'traces.not-sent'))

/** What the SDK itself has to say: variables of its own that it does not understand, spans that were too many. Never a value that it quotes. */
export function reportSdkWarnings(complain: Complaint): void {
  const hear = (words: string): void => complain({ why: words.replaceAll(/'[^']*'|"[^"]*"/g, '…') })
  const ignore = (): void => undefined
  diag.setLogger(
    { error: hear, warn: hear, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
}

/** The same exporter, but that a failure is one line of the log, with nothing in it of what a collector answered: the SDK, which would log that, hears that all is well. */
export const reportingFailures = (exporter: SpanExporter, complain: Complaint): SpanExporter => ({
  export(spans, done) {
    exporter.export(spans, (result) => {
      const { error } = result
      if (error !== undefined) complain({ why: whyOf(error), spans: spans.length })
      done(Object.assign(result, { code: 0, error: undefined }))
    })
  },
  shutdown: () => exporter.shutdown(),
})

/** Only an error without a code has words that are the SDK's own. */
function whyOf(error: Error): string {
  const { code } = error as { code?: unknown }
  if (typeof code === 'number') return `status ${code}`
  return typeof code === 'string' ? code : error.message
}
