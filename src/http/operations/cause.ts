import type { Response } from 'express'
import type { Cause } from '../../outbox/event.ts'

/** The request id and trace that are stored with this request's events and jobs. */
export const causeOf = (res: Response): Cause => ({
  requestId: String(res.locals.requestId),
  traceparent: (res.locals.traceparent as string | undefined) ?? null,
})
