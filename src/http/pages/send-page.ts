import type { Response } from 'express'
import { html } from 'ghtml'
import { endAfterRequest } from '../responses/envelope.ts'
import type { Asset } from './assets.ts'

interface Head {
  language: string
  direction?: 'ltr' | 'rtl'
  title: string
  assets: readonly Pick<Asset, 'path' | 'type'>[]
  /** The text of the link to `#main`, for keyboard users. */
  skip: string
}

export const renderDocument = (
  { language, direction = 'ltr', title, assets, skip }: Head,
  body: string,
): string => html`<!doctype html>
<html lang="${language}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="format-detection" content="telephone=no">
<title>${title}</title>
<link rel="icon" href="data:,">
!${assets.map(({ path, type }) => (type === 'css' ? html`<link rel="stylesheet" href="${path}">` : html`<script src="${path}" defer></script>`))}
</head>
<body>
<a class="skip" href="#main">${skip}</a>
!${body}
</body>
</html>
`

/** After the deadline, an error page has already been sent. */
export function sendPage(res: Response, status: number, document: string): void {
  if (res.headersSent) return
  res.statusCode = status
  res.setHeader('Content-Type', 'text/html; charset=utf-8')
  res.setHeader('Content-Length', Buffer.byteLength(document))
  endAfterRequest(res, document)
}

export function sendJson(res: Response, value: object): 'sent' {
  if (!res.headersSent) res.json(value)
  return 'sent'
}

export function sendRedirect(res: Response, to: string): void {
  if (res.headersSent) return
  res.statusCode = 303
  res.setHeader('Location', to)
  res.setHeader('Content-Length', 0)
  res.end()
}

export function addHeader(res: Response, name: string, value: string | number): void {
  if (!res.headersSent) res.setHeader(name, value)
}
