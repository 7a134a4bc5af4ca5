import type { Response } from 'express'
import type { Cause } from '../../outbox/event.ts'

/** What this request makes bears its id, and goes on with its trace. */
export const causeOf = (res: Response): Cause => ({
  requestId: String(res.locals.requestId),
  traceparent: (res.locals.traceparent as string | undefined) ?? null,
})
