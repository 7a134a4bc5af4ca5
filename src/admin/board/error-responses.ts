import type { ErrorRequestHandler } from 'express'
import type { Deps } from '../../deps.ts'
import { isDatabaseFault } from '../../mongo/connect.ts'
import { throttled } from '../../process/log.ts'
import { isRedisFault } from '../../queues/board-queues.ts'
import type { BoardAnswer } from './retry.ts'

/** What was thrown on the way to an answer, in words that Bull Board's page shows. Never a stack. */
export function createErrorAnswers(deps: Pick<Deps, 'log'>): ErrorRequestHandler {
  const complain = throttled(5000, (fields) => deps.log.warn(fields, 'board.unavailable'))
  return (error: unknown, req, res, _next) => {
    if (res.headersSent) return req.socket.destroy()
    const { status, body } = answerFor(error)
    if (status === 503) {
      complain({ err: error })
      res.setHeader('Retry-After', '2')
    }
    if (status === 500) deps.log.error({ err: error, requestId: res.locals.requestId }, 'request.failed')
    res.status(status).json(body)
  }
}

function answerFor(error: unknown): BoardAnswer {
  if (isDatabaseFault(error))
    return unavailable('MongoDB does not answer', 'Whether it was done shows when it answers again.')
  if (isRedisFault(error))
    return unavailable('Redis does not answer', 'Nothing is lost. The search page needs no Redis.')
  const { status } = error as { status?: number }
  if (error instanceof URIError || status === 400)
    return { status: 400, body: { error: 'This address is not valid' } }
  // Bull Board reads bodies itself, those of a GET as well.
  if (status === 413 || status === 415) return { status, body: { error: 'This body is not one of ours' } }
  return {
    status: 500,
    body: { error: 'Something went wrong', message: 'The mistake is ours, and it is logged.' },
  }
}

const unavailable = (error: string, message: string): BoardAnswer => ({
  status: 503,
  body: { error, message },
})
