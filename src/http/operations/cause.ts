import type { Response } from 'express'
import type { Cause } from '../../tracing/tracing.ts'

/** Returns the request id and the trace to store with the events and jobs that this request creates. */
export const causeOf = (res: Response): Cause => ({
  requestId: String(res.locals.requestId),
  traceparent: (res.locals.traceparent as string | undefined) ?? null,
})
