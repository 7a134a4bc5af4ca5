import { type NextFunction, type Request, type Response, Router } from 'express'
import { formHandlers } from '../http/body/read-form.ts'
import { serveAsset } from '../http/pages/assets.ts'
import { isFromOtherSite, isSafeMethod } from '../http/pages/own-origin.ts'
import { preparePage, waitForMongoClock } from '../http/pages/prepare-page.ts'
import type { Deps } from '../platform/deps.ts'
import { checkoutAssets, refuseOtherMethods, requestedPage, sendNote, sendNotFoundPage } from './layout.ts'
import { createLookupLimit } from './limits.ts'
import { localeOf } from './locale.ts'
import { createCodePages, createPayPages } from './pay-pages.ts'

export const checkoutPageRights = { scripts: true, images: false, referrer: 'no-referrer' } as const

/** Errors on these paths are sent as HTML. */
export const isCheckoutPath = (req: Request): boolean => /^\/(?:$|(?:p|pay|sandbox)(?:\/|$))/.test(req.path)

export function createCheckoutPages(deps: Deps): Router {
  const router = Router({ strict: true, caseSensitive: true })
  router.use((req, _res, next) => (isCheckoutPath(req) ? next() : next('router')))
  router.use(preparePage(deps, checkoutPageRights))
  for (const asset of checkoutAssets)
    router.get(asset.path, serveAsset(asset)).all(asset.path, refuseOtherMethods('GET, HEAD'))
  router.use(refuseForeignForms(deps.config.payUrl), waitForMongoClock(deps), formHandlers)
  const lookupLimit = createLookupLimit(deps)
  router.use(createCodePages(deps, lookupLimit))
  router.use(createPayPages(deps, lookupLimit))
  router.use((_req, res) => sendNotFoundPage(res))
  return router
}

/**
 * Paying requires the PIN, so a forged form gains nothing. Some browsers
 * hide the origin, so forms of unknown origin are accepted.
 */
const refuseForeignForms = (payUrl: string) => (req: Request, res: Response, next: NextFunction) => {
  if (isSafeMethod(req) || !isFromOtherSite(req, payUrl)) return next()
  sendNote(res, 403, localeOf(res).words.notes.foreign, requestedPage(req))
}
