import type { RequestHandler } from 'express'
import { isNavigation } from '../account-pages/site.ts'
import { hasValidCsrf } from '../accounts/sessions.ts'
import { readFormFields } from '../http/body/read-form.ts'
import { isSafeMethod } from '../http/pages/own-origin.ts'
import { enforceDeadline } from '../http/pages/prepare-page.ts'
import { sendRedirect } from '../http/pages/send-page.ts'
import { type RightName, refusalOf } from '../people/rights.ts'
import { Refusal } from '../platform/errors.ts'
import { ownerAlerts } from './alerts.ts'
import { type PersonPage, sendPersonNote, sendPersonPage } from './frame.ts'
import type { Visit } from './visit.ts'

/** Null if the page doesn't exist. */
export type VisitResult = PersonPage | { to: string } | 'sent' | null

interface Options {
  /** For acts that may take longer than a page's deadline. */
  isSlow?: boolean
}

/** A form must be posted to the path of the page that shows it, so that people can prove who they are in between. */
export const serveVisit = (
  right: RightName | ((visit: Visit) => RightName),
  handle: (visit: Visit) => Promise<VisitResult>,
  { isSlow = false }: Options = {},
): RequestHandler[] => [
  ...(isSlow ? [] : [enforceDeadline]),
  async (req, res) => {
    const visit = { ...(res.locals.visit as Visit), req: req, res }
    const { member, deps } = visit
    if (!isSafeMethod(req) && !hasValidCsrf(member.person, readFormFields(req, 'csrf').csrf))
      return sendPersonNote(res, 403, 'other-session')
    const refusal = refusalOf(typeof right === 'string' ? right : right(visit), member, deps.now())
    // A script that polls loads the page again when it gets a 403.
    if (refusal !== null && isSafeMethod(req) && !isNavigation(req))
      return sendPersonNote(res, 403, 'signedOut')
    const to = encodeURIComponent(req.originalUrl)
    if (refusal === 'step-up') return sendRedirect(res, `/portal/confirm?to=${to}`)
    if (refusal === 'second-factor') return sendRedirect(res, '/portal/account/second-factor?required=yes')
    if (refusal !== null) return sendPersonNote(res, 403, refusal)
    // An act's page may show a secret for the only time, so nothing may come between.
    const early = isSafeMethod(req) ? null : renderBanners(visit)
    const result = await handle(visit).catch(hideOtherMode)
    if (result === 'sent') return
    if (result === null) return sendPersonNote(res, 404, 'notFound')
    if ('to' in result) return sendRedirect(res, result.to)
    sendPersonPage(res, { ...result, body: (await (early ?? renderBanners(visit))) + result.body })
  },
]

const renderBanners = (visit: Visit): Promise<string> =>
  Promise.all([ownerAlerts(visit), visit.area.banners?.(visit)]).then(
    (banners) => banners.join(''),
    () => '',
  )

/** What belongs to the other environment seems not to exist here. */
function hideOtherMode(error: unknown): null {
  if (error instanceof Refusal && error.code === 'SANDBOX_MISMATCH') return null
  throw error
}
