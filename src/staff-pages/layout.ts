import type { Response } from 'express'
import { html } from 'ghtml'
import { documentOf, sendPage } from '../http/pages/send-page.ts'
import type { SignedIn } from '../staff/staff-sessions.ts'
import { type navigation, navigationFor } from './navigation.ts'
import { stylePath } from './style.ts'

/** The parts of a page around its body. */
interface Frame {
  title: string
  /** Null for a page without the navigation, such as the sign-in page. */
  staff?: SignedIn | null
  /** The page's path in the navigation, or null if the navigation does not list the page. */
  current?: keyof typeof navigation | null
}

/** Returns a page. `body` must be HTML in which every value was escaped with `html` from ghtml. */
export const page = ({ title, staff = null, current = null }: Frame, body: string): string =>
  documentOf(
    {
      language: 'en',
      title: `${title} · Payment intents`,
      assets: [{ path: stylePath, type: 'css' }],
      skip: 'Skip to content',
    },
    html`!${staff === null ? '' : header(staff, current)}<main id="main" !${staff === null ? 'class="narrow"' : ''}>!${body}</main>`,
  )

const header = (staff: SignedIn, current: keyof typeof navigation | null): string =>
  html`<header class="top">
    <div>
      <nav aria-label="Pages">!${navigationFor(staff).map(([path, name]) => link(path, name, current))}</nav>
      <form method="post" action="/admin/sign-out">
        !${csrfField(staff)}
        <span><a href="/admin/account"><bdi>${staff.name}</bdi></a> (${staff.role})</span>
        <button>Sign out</button>
      </form>
    </div>
  </header>`

const link = (path: string, name: string, current: string | null): string =>
  html`<a href="${path}" !${path === current ? 'aria-current="page"' : ''}>${name}</a>`

/** Returns the hidden field that contains the session's CSRF token (`checkCsrf` in guards.ts). */
export const csrfField = ({ csrf }: Pick<SignedIn, 'csrf'>): string =>
  html`<input type="hidden" name="csrf" value="${csrf}" />`

/** Returns a form that consists of one button. `label` is HTML. */
export const buttonForm = (staff: SignedIn, path: string, label: string): string =>
  html`<form method="post" action="${path}">!${csrfField(staff)}<button>!${label}</button></form>`

/** Formats a time in UTC, to the second. */
export const inUtc = (at: Date): string => `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`

/** Formats a time in UTC, to the second, as HTML. */
export const time = (at: Date): string => html`<time datetime="${at.toISOString()}">${inUtc(at)}</time>`

/** Returns the signed-in member of staff. Use this only after `requireSession` (router.ts). */
export const staffOf = (res: Response): SignedIn => res.locals.staff as SignedIn

/** Sends a page to the signed-in member of staff. `body` is HTML, as for `page`. */
export const sendStaffPage = (
  res: Response,
  { status = 200, ...frame }: Omit<Frame, 'staff'> & { status?: number },
  body: string,
): void => sendPage(res, status, page({ ...frame, staff: staffOf(res) }, body))

/** Sends a page with one message. The page includes the navigation if the request has a session. */
export function sendNotice(res: Response, status: number, title: string, sentence: string): void {
  const { staff = null, requestId } = res.locals as { staff?: SignedIn | null; requestId?: string }
  const body = html`<h1>${title}</h1><p>${sentence}</p>
    !${staff === null ? html`<p><a href="/admin">Go to the first page</a></p>` : ''}
    <p class="faint">Request ${String(requestId)}</p>`
  sendPage(res, status, page({ title, staff }, body))
}

export const sendNotFound = (res: Response): void =>
  sendNotice(res, 404, 'Not found', 'There is no page at this address. Check it for typing errors.')
