import type { Response } from 'express'
import { isDatabaseFault } from '../../mongo/connect.ts'
import type { Deps } from '../../platform/deps.ts'
import { Refusal, refuse, unavailable } from '../../platform/errors.ts'
import { throttled } from '../../platform/log.ts'
import { bodyRefusal } from '../body/read-body.ts'
import { type ApiResponse, failure } from '../responses/envelope.ts'

/** Turns anything thrown into an error response. Bugs are logged in full, but the response reveals nothing. */
export function createErrorReporter(
  deps: Pick<Deps, 'log' | 'metrics'>,
): (error: unknown, res: Response) => ApiResponse {
  const warn = throttled(5000, (fields) => deps.log.warn(fields, 'mongodb.failed'))
  return (error, res) => {
    const refusal = asRefusal(error)
    const { code, extras } = refusal
    const requestId = String(res.locals.requestId)
    if (isDatabaseFault(error)) warn({ err: error, requestId })
    if (code === 'INTERNAL_ERROR') deps.log.error({ err: error, requestId }, 'request.failed')
    if (code === 'RATE_LIMITED') deps.metrics.rateLimited.inc({ scope: (extras.details as { scope: string }).scope })
    return failure(refusal, requestId)
  }
}

function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  // We can't know whether a write that has been sent took effect. The client finds out by retrying.
  if (isDatabaseFault(error)) return unavailable()
  // Express throws these if it can't decode the path.
  if (error instanceof URIError || (error as { status?: number }).status === 400)
    return refuse('VALIDATION_ERROR', { param: 'path', message: 'The path is not valid.' })
  return bodyRefusal(error, null) ?? refuse('INTERNAL_ERROR')
}
