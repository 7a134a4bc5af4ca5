import type { Request, Response } from 'express'
import { html } from 'ghtml'
import type { SendError } from '../http/pages/page-errors.ts'
import { addHeader } from '../http/pages/send-page.ts'
import { sendCheckoutPage } from './layout.ts'
import { addressOf, localeOf } from './locale.ts'
import type { Note, Words } from './words/en.ts'

/** What the link on an error page reopens. */
interface RequestedPage {
  path: string
  query: Record<string, string>
}

/** Keeps the proof from the URL, so that opening the page again doesn't count as guessing links. */
export const requestedPage = ({ path, query: { proof } }: Request): RequestedPage => ({
  path,
  query: typeof proof === 'string' ? { proof } : {},
})

/** Adds a link to the page `reopen`, unless it's null. */
export function sendNote(
  res: Response,
  status: number,
  [title, sentence]: Note,
  reopen: RequestedPage | null,
): void {
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

export const sendNotFound = (res: Response): void =>
  sendNote(res, 404, localeOf(res).words.notes.notFound, null)

/** Sends the *not found* page with an `Allow` header. */
export const allowMethods =
  (methods: 'GET, HEAD' | 'GET, HEAD, POST') =>
  (_req: unknown, res: Response): void => {
    res.setHeader('Allow', methods)
    sendNotFound(res)
  }

/** Says how long to wait. The response is the same whether or not the payment exists. */
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

/** For the error page of a 429. Pages show waiting times in whole minutes, so one minute is the shortest. */
const minWaitMs = 60_000

/** In the customer's language, with a link that reopens the requested page. */
export const sendCheckoutError: SendError = (req, res, status) => {
  const { words, left } = localeOf(res)
  const { notes } = words
  const note = status === 429 ? notes.tooMany(left(minWaitMs)) : notes[noteNames[status] ?? 'notUnderstood']
  sendNote(res, status, note, requestedPage(req))
}
