import type { Request, Response } from 'express'
import { html } from 'ghtml'
import {
  type AccountSite,
  isFromOtherSite,
  isNavigation,
  type SignInPageDeps,
} from '../account-pages/site.ts'
import { arabicAccountTexts } from '../account-pages/words/ar.ts'
import { englishAccountTexts } from '../account-pages/words/en.ts'
import { frenchAccountTexts } from '../account-pages/words/fr.ts'
import { findSession } from '../accounts/sessions.ts'
import { createSignInChecks } from '../accounts/sign-in-limit.ts'
import { sendRedirect } from '../http/pages/send-page.ts'
import { renderTime } from '../http/pages/text.ts'
import { personSignInLimits, withPeopleAccounts } from '../people/person.ts'
import type { Deps } from '../platform/deps.ts'
import { sendPersonNote, sendPersonPage } from './frame.ts'
import { createPersonLocales, frameLocaleOf } from './locale.ts'
import { signedInPerson } from './visit.ts'

const localeOf = createPersonLocales({
  fr: frenchAccountTexts,
  ar: arabicAccountTexts,
  en: englishAccountTexts,
})

const cookies = { session: '__Host-person', pending: '__Host-person-pending' } as const

export function createPersonSite(deps: Deps): AccountSite {
  const signInDeps: SignInPageDeps = Object.assign(
    withPeopleAccounts(deps),
    createSignInChecks(deps, personSignInLimits),
  )
  return {
    deps: signInDeps,
    path: '/portal',
    cookies,
    nextPaths: ['/till'],
    nameAttributes: 'dir="ltr" maxlength="254"',
    findSession: (token) => findSession(signInDeps, token),
    words: (res) => localeOf(res).words,
    time: (res, at) => renderTime(localeOf(res), at),
    facts: (res) => html`<p><bdi>${signedInPerson(res)?.name ?? ''}</bdi></p>`,
    mustAddFactor: (res) => res.req.query.required === 'yes',
    send: (res, { isWide = false, ...page }) => sendPersonPage(res, { ...page, isNarrow: !isWide }),
    refuseSignedOut,
    refuse: (res, why) => sendPersonNote(res, 403, why),
  }
}

/** A script that polls a page gets a 403, and then loads the page again. */
export function refuseSignedOut(req: Request, res: Response): void {
  res.locals.signedIn = undefined
  if (!isNavigation(req)) return sendPersonNote(res, 403, 'signedOut')
  if (isFromOtherSite({ cookies }, req)) return sendStep(res)
  sendRedirect(res, `/portal/sign-in?to=${encodeURIComponent(req.originalUrl)}`)
}

/** When the page reloads itself, the browser sends the cookie. */
function sendStep(res: Response) {
  const { oneMoment, proceed } = frameLocaleOf(res).words
  const body = html`<meta http-equiv="refresh" content="0"><h1>${oneMoment}</h1><p><a href="">${proceed}</a></p>`
  sendPersonPage(res, { title: oneMoment, body, isNarrow: true })
}
