import type { Request, Response } from 'express'
import { html } from 'ghtml'
import type { SignedIn } from '../accounts/sessions.ts'
import { createScript, createStylesheet } from '../http/pages/assets.ts'
import { type FormMessages, renderErrorSummary, renderHiddenInput } from '../http/pages/forms.ts'
import type { LanguageCode, Locale } from '../http/pages/locale.ts'
import { isSafeMethod } from '../http/pages/own-origin.ts'
import type { SendErrorPage } from '../http/pages/prepare-page.ts'
import { renderDocument, sendPage } from '../http/pages/send-page.ts'
import { pagingLinks } from '../http/pages/table.ts'
import { toolTexts } from '../http/pages/words.ts'
import { frameLocaleOf } from './locale.ts'
import { signedInPerson, type Visit } from './visit.ts'
import type { FrameTexts } from './words/en.ts'

export const personAssets = [
  createStylesheet('/portal', [
    'http/pages/styles/base.css',
    'http/pages/styles/touch.css',
    'http/pages/styles/table.css',
    { file: 'http/pages/styles/cards.css', maxWidth: '48rem' },
    'http/pages/styles/header.css',
    'people-pages/people.css',
  ]),
  createScript('/portal', [
    'http/pages/scripts/send-once.js',
    'people-pages/scripts/poll-delay.js',
    'http/pages/scripts/poll-state.js',
    'people-pages/scripts/share.js',
    'http/pages/scripts/print.js',
  ]),
]

export interface PersonPage {
  status?: number
  title: string
  /** Every value in it must be escaped with `html` from ghtml. */
  body: string
  /** The page's path, if the navigation links to it. */
  current?: string
  /** For a form, a receipt or a code. Lists take the whole width. */
  isNarrow?: boolean
}

/** The header shows who is signed in, and on a business's pages, which business and environment. */
export function sendPersonPage(res: Response, page: PersonPage): void {
  const locale = frameLocaleOf(res)
  const { words, code: language, dir: direction } = locale
  const { title, body, status = 200, isNarrow = false } = page
  const visit = res.locals.visit as Visit | undefined
  const owner = visit?.member.business.name ?? words.product
  const document = renderDocument(
    { language, direction, title: `${title} · ${owner}`, assets: personAssets, skip: words.toContent },
    html`!${header(res, words, owner, page.current)}
<main id="main" class="!${isNarrow ? 'narrow' : ''}">
!${body}
</main>
!${languageLinks(res.req, locale)}`,
  )
  sendPage(res, status, document)
}

function header(res: Response, words: FrameTexts, owner: string, current = '') {
  const visit = res.locals.visit as Visit | undefined
  const person = signedInPerson(res)
  const links = (visit?.area.navigation(visit) ?? []).map(
    ({ path, text }) => html`<a href="${path}" !${path === current ? 'aria-current="page"' : ''}>${text}</a>`,
  )
  const practice = visit?.member.sandbox ? html`<p class="test">${words.sandbox}</p>` : ''
  return html`<header class="top">!${practice}<div>
<p class="owner">!${person === undefined ? html`<bdi>${owner}</bdi>` : html`<a href="/portal"><bdi>${owner}</bdi></a>`} !${visit?.member.sandbox === false ? html`<span class="live">${words.live}</span>` : ''}</p>
!${person === undefined ? '' : account(words, person)}
!${links.length === 0 ? '' : html`<nav aria-label="${words.pages}">!${links}</nav>`}
</div></header>`
}

const account = (words: FrameTexts, person: SignedIn) =>
  html`<div class="account"><a href="/portal/account"><bdi>${person.name}</bdi></a>
!${renderPostForm(person, '/portal/sign-out', '', html`<button class="plain">${words.signOut}</button>`, words.signingOut)}</div>`

/** Relative, so that the path can't lead to another site. A form's result can't be loaded again. */
function languageLinks(req: Request, { code, words }: Locale) {
  if (!isSafeMethod(req)) return ''
  const query = req.originalUrl.split('?')[1] ?? ''
  const links = (Object.keys(toolTexts) as LanguageCode[]).map((other) => {
    const params = new URLSearchParams(query)
    params.set('lang', other)
    const current = other === code ? html` aria-current="true"` : ''
    return html`<a href="?${params.toString()}" lang="${other}" hreflang="${other}" dir="${other === 'ar' ? 'rtl' : 'ltr'}"!${current}>${toolTexts[other].language}</a>`
  })
  return html`<nav class="languages" aria-label="${words.languages}">!${links}</nav>`
}

export type NoteName = Exclude<keyof FrameTexts['notes'], 'reference'>

export function sendPersonNote(res: Response, status: number, note: NoteName): void {
  const { words } = frameLocaleOf(res)
  const [title, sentence] = words.notes[note]
  const body = html`<h1>${title}</h1><p>${sentence}</p>
<p><a href="/portal">${words.start}</a></p>
<p class="faint">${words.notes.reference(String(res.locals.requestId))}</p>`
  sendPersonPage(res, { status, title, body, isNarrow: true })
}

const errorNotes: Partial<Record<number, NoteName>> = {
  404: 'notFound',
  413: 'tooLarge',
  429: 'tooMany',
  500: 'broken',
  503: 'unavailable',
}

/** A 403 means that the session or the right ended during the request. */
export const sendPersonError: SendErrorPage = (_req, res, status) =>
  sendPersonNote(res, status, errorNotes[status] ?? (status === 403 ? 'signedOut' : 'notUnderstood'))

/** `fields` and `button` are HTML. The button says `busy` until the response arrives. */
export const renderPostForm = (
  { csrf }: { csrf: string },
  action: string,
  fields: string,
  button: string,
  busy: string,
): string =>
  html`<form method="post" action="${action}" data-busy="${busy}" novalidate>!${renderHiddenInput('csrf', csrf)}!${fields}!${button}</form>`

/** `title` stands above a notice, e.g. *Not saved*. */
export const errorSummaryOf = (res: Response, messages: FormMessages, title: string): string =>
  renderErrorSummary(frameLocaleOf(res), messages, title)

export function personPaging(
  res: Response,
  pathOf: (after: string) => string,
  isFirst: boolean,
  next: string | null,
): string {
  const { firstPage, nextPage } = frameLocaleOf(res).words
  return pagingLinks(pathOf, isFirst, next, [firstPage, nextPage])
}
