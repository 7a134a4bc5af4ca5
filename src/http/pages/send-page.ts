import type { Response } from 'express'

/** Writes a page. What comes after the answer of a request that took too long is dropped. */
export function sendPage(res: Response, status: number, document: string): void {
  if (res.headersSent) return
  res.statusCode = status
  res.setHeader('Content-Type', 'text/html; charset=utf-8')
  res.setHeader('Content-Length', Buffer.byteLength(document))
  res.end(document)
}

/** Sends the browser to another page of ours after an act: by GET, so that loading it again repeats nothing. */
export function redirectTo(res: Response, to: string): void {
  if (res.headersSent) return
  res.statusCode = 303
  res.setHeader('Location', to)
  res.setHeader('Content-Length', 0)
  res.end()
}

/** A header of the page to come, under the same rule. */
export function addHeader(res: Response, name: string, value: string | number): void {
  if (!res.headersSent) res.setHeader(name, value)
}
