import type { NextFunction, Request, Response } from 'express'
import type { Deps } from '../../deps.ts'
import { createErrorReporter } from '../server/report-error.ts'
import { createPageHeaders, type PageRights } from './page-headers.ts'

/** Sends the error page for a thrown `error`, with the given status. */
export type SendError = (req: Request, res: Response, status: number, error: unknown) => void

/**
 * Creates the error handler for pages. The handler sends an error as a page, never as JSON and never with a stack
 * trace.
 */
export function createPageErrors(
  deps: Pick<Deps, 'config' | 'log' | 'metrics'>,
  rights: PageRights,
  sendError: SendError,
) {
  const reportError = createErrorReporter(deps)
  const setPageHeaders = createPageHeaders(deps, rights)
  // Express recognises an error handler by its four parameters.
  return (error: unknown, req: Request, res: Response, _next: NextFunction): void => {
    const { status, code, headers } = reportError(error, res)
    if (res.headersSent) return void (res.writableEnded || req.socket.destroy())
    res.locals.code = code
    // Some errors occur before a router has set these headers, or after a static file has set its own Cache-Control.
    setPageHeaders(req, res)
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
    // The unread rest of a body would be mistaken for the next request.
    if (!req.complete) res.setHeader('Connection', 'close')
    sendError(req, res, status, error)
  }
}
