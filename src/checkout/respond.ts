import type { Request, Response } from 'express'
import { html } from 'ghtml'
import type { SendError } from '../http/pages/page-errors.ts'
import { addHeader } from '../http/pages/send-page.ts'
import { sendCheckoutPage } from './layout.ts'
import { addressOf, localeOf } from './locale.ts'
import type { Note, Words } from './words/words.ts'

/** The page that the link on an error page reopens. */
interface RequestedPage {
  path: string
  query: Record<string, string>
}

/**
 * Returns the requested page, including the proof from the URL. With the proof, a customer who opens the page again is
 * not subject to the limit on guessing links.
 */
export const requestedPage = ({ path, query: { proof } }: Request): RequestedPage => ({
  path,
  query: typeof proof === 'string' ? { proof } : {},
})

/** Sends a page with a message. Unless `reopen` is null, the message is followed by a link to the page `reopen`. */
export function sendNote(res: Response, status: number, [title, sentence]: Note, reopen: RequestedPage | null): void {
  const locale = localeOf(res)
  const { path, query } = reopen ?? { path: '/', query: {} }
  const again =
    reopen === null
      ? ''
      : html`<p><a class="button" href="${addressOf(locale, path, query)}">${locale.words.notes.again}</a></p>`
  const body = html`<h1>${title}</h1>
<p>${sentence}</p>
!${again}`
  sendCheckoutPage(res, status, { locale, title, path, query, sandbox: false }, body)
}

/** Sends a page that says that there is no payment at this URL. */
export const sendNotFound = (res: Response): void => sendNote(res, 404, localeOf(res).words.notes.notFound, null)

/**
 * Handles a request with a method that this URL does not support. Sends the *not found* page with an `Allow` header
 * that lists the supported methods.
 */
export const onlyBy =
  (methods: 'GET, HEAD' | 'GET, HEAD, POST') =>
  (_req: unknown, res: Response): void => {
    res.setHeader('Allow', methods)
    sendNotFound(res)
  }

/**
 * Tells a visitor whose network has too many failed attempts how long to wait. The response is the same whether or not
 * the payment exists.
 */
export function sendTooMany(req: Request, res: Response, closedMs: number): void {
  const { words, left } = localeOf(res)
  const minutes = Math.max(1, Math.ceil(closedMs / 60_000))
  addHeader(res, 'Retry-After', minutes * 60)
  sendNote(res, 429, words.notes.tooMany(left(minutes * 60_000)), requestedPage(req))
}

const noteNames: Record<number, Exclude<keyof Words['notes'], 'tooMany' | 'again'>> = {
  404: 'notFound',
  413: 'tooLarge',
  500: 'broken',
  503: 'unavailable',
}

/**
 * The waiting time that the error page shows for the status 429. One minute is the shortest time that can be shown as a
 * number, because the pages show waiting times in whole minutes.
 */
const minWaitMs = 60_000

/** Sends the error page in the customer's language, with a link that reopens the requested page. */
export const sendCheckoutError: SendError = (req, res, status) => {
  const { words, left } = localeOf(res)
  const { notes } = words
  const note = status === 429 ? notes.tooMany(left(minWaitMs)) : notes[noteNames[status] ?? 'notUnderstood']
  sendNote(res, status, note, requestedPage(req))
}
