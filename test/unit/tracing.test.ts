import { diag } from '@opentelemetry/api'
import type { SpanExporter } from '@opentelemetry/sdk-trace'
import { refuse } from '../../src/platform/errors.ts'
import { logFailedExports, reportSdkWarnings } from '../../src/tracing/otlp.ts'
import { runInSpan, type TraceSpan, type Tracing } from '../../src/tracing/tracing.ts'

type Result = Parameters<Parameters<SpanExporter['export']>[1]>[0]

describe('Tracing', () => {
  it("logs the OpenTelemetry SDK's warnings without the values they quote", () => {
    const said: object[] = []
    reportSdkWarnings((fields) => said.push(fields))
    diag.warn(`Unknown value "hidden" or 'hidden' for OTEL_X`)
    diag.disable()
    expect(said).to.deep.equal([{ why: 'Unknown value … or … for OTEL_X' }])
  })

  it('logs that spans could not be sent but reports success to the OpenTelemetry SDK', () => {
    const said: object[] = []
    const results: object[] = []
    const failure: object = { code: 1, error: new Error('away') }
    const shutdown = async () => undefined
    const failing: SpanExporter = { export: (_spans, done) => done(failure as Result), shutdown }
    logFailedExports(failing, (fields) => said.push(fields)).export([], (result) => results.push(result))
    expect(said).to.deep.equal([{ why: 'away', spans: 0 }])
    expect(results).to.deep.equal([{ code: 0 }])
  })

  it('marks a span as failed for a bug or an outage, but not for a client error', async () => {
    const ends: boolean[] = []
    const ids = { traceId: '', traceparent: '' }
    const span: TraceSpan = { ...ids, link: () => undefined, end: ({ failed }) => void ends.push(failed) }
    const tracing: Tracing = { begin: () => span, close: async () => undefined }
    for (const error of [refuse('VALIDATION_ERROR'), refuse('SERVICE_UNAVAILABLE'), new Error('a bug')]) {
      const running = runInSpan({ tracing }, 'part', null, () => Promise.reject(error))
      expect(await running.catch((caught: unknown) => caught)).to.equal(error)
    }
    await runInSpan({ tracing }, 'part', null, async () => undefined)
    expect(ends).to.deep.equal([false, true, true, false])
  })
})
