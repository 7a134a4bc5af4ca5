import type { Deps } from '../../src/deps.ts'
import type { QueueName } from '../../src/jobs.ts'
import type { Done } from './queue-worker.ts'

/** The span of a job under way. */
export interface JobSpan {
  /** Ends it, by how the job went; null: by a fault. Answers the trace to be looked for: of the one request it was done for, else its own. */
  end(about: { jobId: string }, done: Done | null): string
}

/**
 * Begins the span of a job. A job may be done for many requests, or for none: it has a trace of its own, and points to theirs, in which there are
 * spans of what was done for each. A job in which nothing happened is no trace: hundreds in a second may only wait for their turn.
 */
export function traceJob({ tracing }: Pick<Deps, 'tracing'>, queue: QueueName): JobSpan | null {
  if (tracing === null) return null
  const span = tracing.begin(queue, 'job', null)
  return {
    end(about, done) {
      const traces = done?.traces ?? []
      for (const traceparent of traces) span.link(traceparent)
      if (done?.isNoise !== true)
        span.end({ facts: { queue, ...about, ...done?.log }, failed: done === null })
      const [only] = traces
      // Version, trace, span, flags, with hyphens between.
      return traces.length === 1 && only !== undefined ? (only.split('-')[1] ?? '') : span.traceId
    },
  }
}
