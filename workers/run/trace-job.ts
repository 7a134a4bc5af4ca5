import type { Deps } from '../../src/deps.ts'
import type { QueueName } from '../../src/queues/jobs.ts'
import type { Done } from './queue-worker.ts'

/** The span of a running job. */
export interface JobSpan {
  /**
   * Ends the span. `done`: null after an error. Returns the trace id for the log: that of the request if there is
   * exactly one, or its own.
   */
  end(identity: { jobId: string }, done: Done | null): string
}

/**
 * Begins the span of a job. A job may work for many requests or for none. So it has its own trace, with a link to the
 * trace of each request. The work for each request has a span in the trace of the request. A job without work has no
 * span, because there may be hundreds of such jobs a second.
 */
export function traceJob({ tracing }: Pick<Deps, 'tracing'>, queue: QueueName): JobSpan | null {
  if (tracing === null) return null
  const span = tracing.begin(queue, 'job', null)
  return {
    end(identity, done) {
      const traces = done?.traces ?? []
      for (const traceparent of traces) span.link(traceparent)
      if (done?.isNoise !== true)
        span.end({ facts: { queue, ...identity, ...done?.log }, failed: done === null })
      const [only] = traces
      // A traceparent is `version-trace-span-flags`.
      return traces.length === 1 && only !== undefined ? (only.split('-')[1] ?? '') : span.traceId
    },
  }
}
