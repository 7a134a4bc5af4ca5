import type { Response } from 'express'
import { html } from 'ghtml'
import { Refusal } from '../../errors.ts'
import type { SendError } from '../../http/pages/page-errors.ts'
import { sendPage } from '../../http/pages/send-page.ts'
import type { SignedIn } from '../../staff/find-session.ts'
import { page, plainPage } from './layout.ts'

/** Sends a page with one message. The page includes the navigation if the request has a session. */
export function sendNotice(res: Response, status: number, title: string, sentence: string): void {
  const staff = res.locals.staff as SignedIn | undefined
  const body = html`<h1>${title}</h1><p>${sentence}</p>`
  const foot = html`<p class="faint">Request ${String(res.locals.requestId)}</p>`
  const back = html`<p><a href="/admin">Go to the first page</a></p>`
  sendPage(
    res,
    status,
    staff === undefined ? plainPage(title, body + back + foot) : page({ title, staff, current: null }, body + foot),
  )
}

export const sendNotFound = (res: Response): void =>
  sendNotice(res, 404, 'Not found', 'There is no page at this address. Check it for typing errors.')

const titles: Record<number, [title: string, sentence: string]> = {
  404: ['Not found', 'There is no page at this address. Check it for typing errors.'],
  413: ['Form too large', 'This form is too large.'],
  429: ['Too many requests', 'Your other pages are still loading. Wait a moment, then reload this page.'],
  500: ['Something went wrong', 'An unexpected error occurred. It is logged. Try again, or contact an operator.'],
  503: ['Not available', 'The database is not responding. Try again in a few seconds.'],
}

/** Sends a staff page that explains the error. */
export const sendStaffError: SendError = (_req, res, status, error) => {
  const [title, sentence] = titles[status] ?? ['Request not valid', messageOf(error)]
  sendNotice(res, status, title, sentence)
}

const messageOf = (error: unknown): string => (error instanceof Refusal ? error.message : 'This request is not valid.')
