import type { Response } from 'express'
import type { Cause } from '../../outbox/event.ts'

/** The request id and trace that the events and jobs of this request carry. */
export const causeOf = (res: Response): Cause => ({
  requestId: String(res.locals.requestId),
  traceparent: (res.locals.traceparent as string | undefined) ?? null,
})
