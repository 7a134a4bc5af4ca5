import type { Request, Response } from 'express'
import { html } from 'ghtml'
import { addHeader, sendPage } from '../http/pages/send-page.ts'
import { page } from './layout.ts'
import { addressOf, localeOf } from './locale.ts'
import type { Note } from './words/words.ts'

/** Returns the path of the requested page, to open it again. */
interface Place {
  path: string
  query: Record<string, string>
}

/** Keeps the proof of the request, so that a customer who opens the page again does not count as guessing. */
export const placeOf = ({ path, query: { proof } }: Request): Place => ({
  path,
  query: typeof proof === 'string' ? { proof } : {},
})

/** Sends a page with a message and, unless `place` is null, a link to `place`. */
export function sendNote(res: Response, status: number, [title, sentence]: Note, place: Place | null): void {
  const locale = localeOf(res)
  const { path, query } = place ?? { path: '/', query: {} }
  const again =
    place === null
      ? ''
      : html`<p><a class="button" href="${addressOf(locale, path, query)}">${locale.words.notes.again}</a></p>`
  const body = html`<h1>${title}</h1>
<p>${sentence}</p>
!${again}`
  sendPage(res, status, page({ locale, title, path, query, sandbox: false }, body))
}

/** Sends the page for a URL at which there is nothing to pay. */
export const sendNotFound = (res: Response): void =>
  sendNote(res, 404, localeOf(res).words.notes.notFound, null)

/** Sends the page for an unsupported method. `Allow` lists the supported methods. */
export const onlyBy =
  (methods: 'GET, HEAD' | 'GET, HEAD, POST') =>
  (_req: unknown, res: Response): void => {
    res.setHeader('Allow', methods)
    sendNotFound(res)
  }

/** Sends a network with too many failed attempts the time to wait, whether or not the payment exists. */
export function sendTooMany(req: Request, res: Response, closedMs: number): void {
  const { words, left } = localeOf(res)
  const minutes = Math.max(1, Math.ceil(closedMs / 60_000))
  addHeader(res, 'Retry-After', minutes * 60)
  sendNote(res, 429, words.notes.tooMany(left(minutes * 60_000)), placeOf(req))
}
