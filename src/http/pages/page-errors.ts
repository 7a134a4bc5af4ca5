import type { NextFunction, Request, Response } from 'express'
import type { Deps } from '../../deps.ts'
import { createErrorReporter } from '../server/report-error.ts'
import { createPageHeaders, type PageRights } from './page-headers.ts'

/** Writes the page that tells of an error: `status` is its answer's, `error` what was thrown. */
export type SendError = (req: Request, res: Response, status: number, error: unknown) => void

/** What was thrown on the way to a page, as a page with the headers of one: never a stack, never JSON. */
export function createPageErrors(
  deps: Pick<Deps, 'config' | 'log' | 'metrics'>,
  rights: PageRights,
  sendError: SendError,
) {
  const answerFor = createErrorReporter(deps)
  const setPageHeaders = createPageHeaders(deps, rights)
  // Express tells an error handler by its four parameters.
  return (error: unknown, req: Request, res: Response, _next: NextFunction): void => {
    const { status, code, headers } = answerFor(error, res)
    if (res.headersSent) return void (res.writableEnded || req.socket.destroy())
    res.locals.code = code
    // Some are refused before any router of pages saw them, and a file has told by now for how long it may be kept.
    setPageHeaders(req, res)
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
    // The rest of a body that nobody reads would be taken for the next request.
    if (!req.complete) res.setHeader('Connection', 'close')
    sendError(req, res, status, error)
  }
}
