import type { Response } from 'express'
import { html } from 'ghtml'
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
