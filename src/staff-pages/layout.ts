import type { Response } from 'express'
import { html } from 'ghtml'
import { createStylesheet } from '../http/pages/assets.ts'
import { renderHiddenInput } from '../http/pages/forms.ts'
import { renderDocument, sendPage } from '../http/pages/send-page.ts'
import type { SignedInStaff } from '../staff/account.ts'
import { hasPermission, type StaffPermission, type StaffRole } from '../staff/permissions.ts'

export const staffStylesheet = createStylesheet('/admin', [
  'http/pages/styles/base.css',
  'http/pages/styles/table.css',
  { file: 'http/pages/styles/cards.css', maxWidth: '68rem' },
  'http/pages/styles/header.css',
  'staff-pages/staff.css',
])

const navigation: { url: string; text: string; permission?: StaffPermission }[] = [
  { url: '/admin', text: 'Search' },
  { url: '/admin/businesses', text: 'Businesses' },
  { url: '/admin/people', text: 'People' },
  { url: '/admin/dead', text: 'Dead deliveries' },
  { url: '/admin/queues', text: 'Queues' },
  { url: '/admin/reconciliations', text: 'Reconciliations' },
  { url: '/admin/audit', text: 'Audit trail' },
  { url: '/admin/staff', text: 'Staff', permission: 'change-staff' },
]

export const filterNavigation = (staff: { role: StaffRole }): { url: string; text: string }[] =>
  navigation.filter(({ permission }) => permission === undefined || hasPermission(staff, permission))

/** Every value in the HTML of `body` must be escaped. */
export interface PageContent {
  title: string
  body: string
  status?: number
  /** The page's path, if the navigation links to it. */
  current?: string
}

export const renderStaffPage = (
  { title, body, current }: PageContent,
  staff: SignedInStaff | null = null,
): string =>
  renderDocument(
    {
      language: 'en',
      title: `${title} · Payment intents`,
      assets: [staffStylesheet],
      skip: 'Skip to content',
    },
    html`!${staff === null ? '' : header(staff, current)}<main id="main" !${staff === null ? 'class="narrow"' : ''}>!${body}</main>`,
  )

const header = (staff: SignedInStaff, current: string | undefined) =>
  html`<header class="top">
    <div>
      <nav aria-label="Pages">!${filterNavigation(staff).map(({ url, text }) => html`<a href="${url}" !${url === current ? 'aria-current="page"' : ''}>${text}</a>`)}</nav>
      <form method="post" action="/admin/sign-out">
        !${csrfField(staff)}
        <span><a href="/admin/account"><bdi>${staff.name}</bdi></a> (${staff.role})</span>
        <button>Sign out</button>
      </form>
    </div>
  </header>`

export const csrfField = ({ csrf }: Pick<SignedInStaff, 'csrf'>): string => renderHiddenInput('csrf', csrf)

/** Works only behind `requireSession` (router.ts). */
export const currentStaff = (res: Response): SignedInStaff => res.locals.signedIn as SignedInStaff

export const sendStaffPage = (res: Response, content: PageContent): void =>
  sendPage(res, content.status ?? 200, renderStaffPage(content, currentStaff(res)))

export function sendNoticePage(res: Response, status: number, title: string, sentence: string): void {
  const { signedIn: staff = null, requestId } = res.locals as {
    signedIn?: SignedInStaff
    requestId?: string
  }
  const body = html`<h1>${title}</h1><p>${sentence}</p>
    !${staff === null ? html`<p><a href="/admin">Go to the start page</a></p>` : ''}
    <p class="faint">Request ${String(requestId)}</p>`
  sendPage(res, status, renderStaffPage({ title, body }, staff))
}

export const sendNotFound = (res: Response): void =>
  sendNoticePage(res, 404, 'Not found', 'There is no page at this address. Check it for typos.')
