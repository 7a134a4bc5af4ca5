import { type Request, type Response, Router } from 'express'
import { addAccountPages } from '../account-pages/account.ts'
import { addProofPage, addSignInPages, confirmPage } from '../account-pages/sign-in.ts'
import { currentAccount, loadSession, requireOwnOrigin, requireSignedIn } from '../account-pages/site.ts'
import { formHandlers } from '../http/body/read-form.ts'
import { serveAsset } from '../http/pages/assets.ts'
import { enforceDeadline, preparePage, setMountPath, waitForMongoClock } from '../http/pages/prepare-page.ts'
import { sendRedirect } from '../http/pages/send-page.ts'
import { isProved } from '../people/rights.ts'
import type { Deps } from '../platform/deps.ts'
import { confirmOwner } from './alerts.ts'
import { sendStart } from './choose.ts'
import { personAssets, sendPersonNote } from './frame.ts'
import { addInvitationPages } from './invitation.ts'
import { keepLanguage } from './locale.ts'
import { serveVisit } from './serve.ts'
import { createPersonSite } from './site.ts'
import { type Area, loadVisit } from './visit.ts'

/** With `no-referrer`, browsers would send `Origin: null`, which we refuse. */
export const personPageRights = { scripts: true, images: false, referrer: 'strict-origin' } as const

/** Errors on these paths get an HTML page. */
export const isPersonPath = ({ path }: Pick<Request, 'path'>): boolean =>
  /^\/(?:till|portal)(?:\/|$)/.test(path)

/** An area, and the routes of its pages. */
export type AreaPages = Area & { addPages(router: Router): void }

export function createPersonPages(deps: Deps, areas: readonly AreaPages[]): Router {
  const router = Router({ strict: true, caseSensitive: true })
  router.use((req, _res, next) => (isPersonPath(req) ? next() : next('router')))
  router.use(preparePage(deps, personPageRights))
  for (const asset of personAssets) router.get(asset.path, serveAsset(asset))
  const site = createPersonSite(deps)
  router.use(requireOwnOrigin(site), waitForMongoClock(deps), loadSession(site), formHandlers, keepLanguage)
  router.use('/portal', setMountPath('/portal'), createAccountRouter(deps, site))
  for (const area of areas) {
    router.get(area.path, requireSignedIn(site), enforceDeadline, sendStart(deps, area))
    const pages = Router({ strict: true, caseSensitive: true })
    pages.post('/owners/:id/seen', serveVisit('read-people', confirmOwner))
    area.addPages(pages)
    const mount = `${area.path}/:businessId/:mode`
    router.use(mount, requireSignedIn(site), loadVisit(deps, area), setMountPath(mount), pages)
  }
  router.use((_req: Request, res: Response) => sendPersonNote(res, 404, 'notFound'))
  return router
}

function createAccountRouter(deps: Deps, site: ReturnType<typeof createPersonSite>) {
  const router = Router({ strict: true, caseSensitive: true })
  // Other paths belong to the areas, whose routes have deadlines of their own.
  router.use(
    ['/sign-in', '/sign-out', '/set-password', '/invitation', '/confirm', '/account'],
    enforceDeadline,
  )
  addSignInPages(router, site)
  addInvitationPages(router, deps, site)
  router.use(['/confirm', '/account'], requireSignedIn(site))
  addProofPage(router, site, confirmPage(site))
  // Or whoever finds an open session could add a factor of their own, and then prove anything.
  router.use('/account/second-factor', (req, res, next) => {
    if (isProved(currentAccount(res), deps.now())) next()
    else sendRedirect(res, `/portal/confirm?to=${encodeURIComponent(req.originalUrl)}`)
  })
  addAccountPages(router, site)
  return router
}
