import type { Response } from 'express'
import { endWith } from '../responses/envelope.ts'

/** Sends a page. Does nothing if the deadline has passed, because the error page has already been sent in that case. */
export function sendPage(res: Response, status: number, document: string): void {
  if (res.headersSent) return
  res.statusCode = status
  res.setHeader('Content-Type', 'text/html; charset=utf-8')
  res.setHeader('Content-Length', Buffer.byteLength(document))
  endWith(res, document)
}

/** Redirects the browser after a form has been processed, so that a reload does not send the form again. */
export function redirectTo(res: Response, to: string): void {
  if (res.headersSent) return
  res.statusCode = 303
  res.setHeader('Location', to)
  res.setHeader('Content-Length', 0)
  res.end()
}

/** Sets a header, unless a response has already been sent. */
export function addHeader(res: Response, name: string, value: string | number): void {
  if (!res.headersSent) res.setHeader(name, value)
}
