import { type NextFunction, type Request, type Response, Router } from 'express'
import type { Deps } from '../deps.ts'
import { readForm } from '../http/body/read-form.ts'
import { isFromElsewhere } from '../http/pages/own-origin.ts'
import { createPageHeaders } from '../http/pages/page-headers.ts'
import { awaitTime, preparePage } from '../http/pages/prepare-page.ts'
import { assets, scriptPath, stylePath } from './assets.ts'
import { codePages } from './code-page.ts'
import { localeOf } from './locale.ts'
import { createLookupLimit } from './lookup-limit.ts'
import { payPages } from './pay-pages.ts'
import { onlyBy, placeOf, sendNote, sendNotFound } from './respond.ts'

export const checkoutPageRights = { scripts: true, images: false, referrer: 'no-referrer' } as const

/** Whether an address is one of the hosted pages, at which errors are pages as well. */
export const isHosted = (req: Request): boolean => /^\/(?:$|(?:p|pay|sandbox)(?:\/|$))/.test(req.path)

/** Where customers pay (SPEC 1): by the code that they type, or by the page of a payment. Errors become pages in errors.ts. */
export function checkoutPages(deps: Deps): Router {
  const router = Router({ strict: true, caseSensitive: true })
  router.use((req, _res, next) => (isHosted(req) ? next() : next('router')))
  router.use(preparePage('', createPageHeaders(deps, checkoutPageRights)))
  router.use(assets())
  router.all([stylePath, scriptPath], onlyBy('GET, HEAD'))
  router.use(refuseForeignForms(deps.config.payUrl), awaitTime(deps), readForm)
  const lookupLimit = createLookupLimit(deps)
  router.use(codePages(deps, lookupLimit))
  router.use(payPages(deps, lookupLimit))
  router.use((_req, res) => sendNotFound(res))
  return router
}

/**
 * A form that the browser says another site made. There is no cookie here and no session, on purpose: every form needs the PIN
 * typed anew, so a forged one has nothing to ride on, and who hides where a form comes from may still pay.
 */
const refuseForeignForms =
  (payUrl: string) =>
  (req: Request, res: Response, next: NextFunction): void => {
    const isSafe = req.method === 'GET' || req.method === 'HEAD'
    if (isSafe || !isFromElsewhere(req, payUrl)) return next()
    sendNote(res, 403, localeOf(res).words.notes.foreign, placeOf(req))
  }
