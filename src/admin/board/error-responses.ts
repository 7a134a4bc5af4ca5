import type { ErrorRequestHandler } from 'express'
import type { Deps } from '../../deps.ts'
import { isDatabaseFault } from '../../mongo/connect.ts'
import { throttled } from '../../process/log.ts'
import { isRedisFault } from '../../queues/board-queues.ts'
import type { BoardResponse } from './retry.ts'

/** Turns errors into messages for Bull Board's page, without a stack trace. */
export function createErrorResponses(deps: Pick<Deps, 'log'>): ErrorRequestHandler {
  const logUnavailable = throttled(5000, (fields) => deps.log.warn(fields, 'board.unavailable'))
  return (error: unknown, req, res, _next) => {
    if (res.headersSent) return req.socket.destroy()
    const { status, body } = responseFor(error)
    if (status === 503) {
      logUnavailable({ err: error })
      res.setHeader('Retry-After', '2')
    }
    if (status === 500) deps.log.error({ err: error, requestId: res.locals.requestId }, 'request.failed')
    res.status(status).json(body)
  }
}

function responseFor(error: unknown): BoardResponse {
  if (isDatabaseFault(error))
    return unavailable('MongoDB is not responding', 'Reload the page later to see whether the action succeeded.')
  if (isRedisFault(error))
    return unavailable('Redis is not responding', 'Nothing is lost. The other pages work without Redis.')
  const { status } = error as { status?: number }
  if (error instanceof URIError || status === 400) return { status: 400, body: { error: 'This address is not valid' } }
  // Bull Board parses the request bodies itself, even those of GET requests, and rejects some of them with these
  // statuses.
  if (status === 413 || status === 415) return { status, body: { error: 'This request body is not valid' } }
  return {
    status: 500,
    body: { error: 'Something went wrong', message: 'An unexpected error occurred. It is logged.' },
  }
}

const unavailable = (error: string, message: string): BoardResponse => ({
  status: 503,
  body: { error, message },
})
