import type { Response } from 'express'
import type { Cause } from '../../tracing/tracing.ts'

/** The request id and trace that are stored with every event and job of this request. */
export const causeOf = (res: Response): Cause => ({
  requestId: String(res.locals.requestId),
  traceparent: (res.locals.traceparent as string | undefined) ?? null,
})
