import type { NextFunction, Request, Response } from 'express'
import type { Deps } from '../../deps.ts'
import { Refusal } from '../../errors.ts'
import { createErrorReporter } from '../../http/report-error.ts'
import { sendNotice } from './answer.ts'

const titles: Record<number, [title: string, sentence: string]> = {
  404: ['Not found', 'There is nothing at this address. It may have been mistyped.'],
  413: ['Too much', 'That form is larger than any of ours.'],
  500: ['Something went wrong', 'The mistake is ours, and it is logged. Try again, or tell an operator.'],
  503: ['Not available', 'The database does not answer right now. Try again in a few seconds.'],
}

/** What was thrown on the way to a staff page, as a page: never a stack, never JSON. */
export function createPageErrors(deps: Pick<Deps, 'log'>) {
  const answerFor = createErrorReporter(deps)
  // Express tells an error handler by its four parameters.
  return (error: unknown, req: Request, res: Response, _next: NextFunction): void => {
    const { status, code, headers } = answerFor(error, res)
    if (res.headersSent) return void (res.writableEnded || req.socket.destroy())
    res.locals.code = code
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
    // The rest of a body that nobody reads would be taken for the next request.
    if (!req.complete) res.setHeader('Connection', 'close')
    const [title, sentence] = titles[status] ?? ['Not understood', messageOf(error)]
    sendNotice(res, status, title, sentence)
  }
}

const messageOf = (error: unknown): string =>
  error instanceof Refusal ? error.message : 'This request is not one of ours.'
