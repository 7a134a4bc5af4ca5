import type { NextFunction, Request, Response } from 'express'
import type { Deps } from '../../platform/deps.ts'
import { createErrorReporter } from '../server/bare-app.ts'
import { createPageHeaders, type PagePermissions } from './page-headers.ts'

export type SendError = (req: Request, res: Response, status: number, error: unknown) => void

/** Errors always come as a page, never as JSON, and never with a stack trace. */
export function createPageErrors(
  deps: Pick<Deps, 'config' | 'log' | 'metrics'>,
  rights: PagePermissions,
  sendError: SendError,
) {
  const reportError = createErrorReporter(deps)
  const setPageHeaders = createPageHeaders(deps, rights)
  // Express recognises an error handler by its four parameters, so `_next` must be declared.
  return (error: unknown, req: Request, res: Response, _next: NextFunction): void => {
    const { status, code, headers } = reportError(error, res)
    if (res.headersSent) return void (res.writableEnded || req.socket.destroy())
    res.locals.code = code
    // Again, because an error may come before a router has set them, or after a static file has changed Cache-Control.
    setPageHeaders(req, res)
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
    // The unread rest of a body would be mistaken for the next request on this connection.
    if (!req.complete) res.setHeader('Connection', 'close')
    sendError(req, res, status, error)
  }
}
