import type { Deps } from '../../src/deps.ts'
import type { QueueName } from '../../src/queues/jobs.ts'
import type { Done } from './queue-worker.ts'

/**
 * Starts the span of a job. A job has a trace of its own, with a link to the trace of each request, because a job may
 * work for many requests or for none. The work for each request also has a separate span in the trace of that request.
 * No span is recorded for a job that finds no work, because there may be hundreds of such jobs per second. Returns null
 * if tracing is off.
 */
export function traceJob({ tracing }: Pick<Deps, 'tracing'>, queue: QueueName) {
  if (tracing === null) return null
  const span = tracing.begin(queue, 'job', null)
  return {
    /**
     * Ends the span. `done` is null if the job threw an error. Returns the trace id for the log. If exactly one request
     * caused the work, this is the id of that request's trace, otherwise the id of the job's own trace.
     */
    end(about: { jobId: string; queue: QueueName }, done: Done | null): string {
      const traces = done?.traces ?? []
      for (const traceparent of traces) span.link(traceparent)
      if (done?.isNoise !== true) span.end({ facts: { ...about, ...done?.log }, failed: done === null })
      const [only] = traces
      // A traceparent has the form `version-trace-span-flags`.
      return traces.length === 1 && only !== undefined ? (only.split('-')[1] ?? '') : span.traceId
    },
  }
}
