import type { Response } from 'express'
import { endWith } from '../responses/envelope.ts'

/** Does nothing after the deadline, because the error page has been sent by then. */
export function sendPage(res: Response, status: number, document: string): void {
  if (res.headersSent) return
  res.statusCode = status
  res.setHeader('Content-Type', 'text/html; charset=utf-8')
  res.setHeader('Content-Length', Buffer.byteLength(document))
  endWith(res, document)
}

/** After a form, so that a reload doesn't send it again. */
export function redirectTo(res: Response, to: string): void {
  if (res.headersSent) return
  res.statusCode = 303
  res.setHeader('Location', to)
  res.setHeader('Content-Length', 0)
  res.end()
}

/** Does nothing once a response has been sent. */
export function addHeader(res: Response, name: string, value: string | number): void {
  if (!res.headersSent) res.setHeader(name, value)
}
