import type { Response } from 'express'
import { html } from 'ghtml'
import { sendPage } from '../../http/pages/send-page.ts'
import type { SignedIn } from '../../staff/staff-sessions.ts'
import { type Frame, page, plainPage } from './layout.ts'

/** Returns the signed-in member of staff. Use this only after `requireSession` (router.ts). */
export const staffOf = (res: Response): SignedIn => res.locals.staff as SignedIn

/** Sends a page to the signed-in member of staff. `body` is HTML, as for `page`. */
export const sendStaffPage = (
  res: Response,
  { title, current = null, status = 200 }: Pick<Frame, 'title'> & { current?: Frame['current']; status?: number },
  body: string,
): void => sendPage(res, status, page({ title, staff: staffOf(res), current }, body))

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
