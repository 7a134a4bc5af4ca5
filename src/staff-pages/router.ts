import { basename } from 'node:path'
import { type Request, type Response, Router } from 'express'
import { addAccountPages } from '../account-pages/account.ts'
import { addSignInPages } from '../account-pages/sign-in.ts'
import { loadSession, requireOwnOrigin } from '../account-pages/site.ts'
import { formHandlers } from '../http/body/read-form.ts'
import { serveAsset } from '../http/pages/assets.ts'
import * as prepare from '../http/pages/prepare-page.ts'
import { sendRedirect } from '../http/pages/send-page.ts'
import type { Deps } from '../platform/deps.ts'
import { Refusal } from '../platform/errors.ts'
import { accountActions, staffListActions } from '../staff-acts/account-acts.ts'
import type { ActionGroup } from '../staff-acts/act.ts'
import { businessActions } from '../staff-acts/business-acts.ts'
import { apiKeyActions } from '../staff-acts/key-acts.ts'
import { invitationActions, personActions, personListActions } from '../staff-acts/person-acts.ts'
import { lookUpDelivery } from '../webhooks/deliveries/look-up.ts'
import { type RequeueDeps, requeueDeliveries } from '../webhooks/deliveries/requeue.ts'
import { addActionRoutes } from './act-routes.ts'
import { auditPage, createAuditExport } from './audit.ts'
import { createQueueBoard } from './board/board.ts'
import { businessListPage, businessPage } from './business.ts'
import { deadDeliveriesPage } from './dead.ts'
import { deliveryPage } from './delivery.ts'
import { endpointPage, handleReplayCancel } from './endpoint.ts'
import { endpointActions } from './endpoint-acts.ts'
import * as guards from './guards.ts'
import { keyPage } from './key.ts'
import { sendNotFound, sendNoticePage, staffStylesheet } from './layout.ts'
import { deliveryPath, resolveSource } from './paths.ts'
import { orderPage, paymentPage } from './payment.ts'
import { peoplePage, personPage } from './people.ts'
import { reconciliationListPage, reconciliationPage } from './reconciliations.ts'
import { searchByAmountAndDay, searchByText, searchPage } from './search/search.ts'
import { createStaffSite, refuseSignedOut, requireSession } from './session.ts'
import { staffAccountPage, staffListPage } from './staff.ts'

/**
 * A referrer must not contain the secret path of a password link. With
 * `no-referrer`, browsers would send `Origin: null`, which we refuse.
 */
export const staffPageRights = { scripts: false, images: true, referrer: 'strict-origin' } as const

export function createAdminRouter(deps: Deps): Router {
  const router = Router({ strict: true, caseSensitive: true })
  router.use(prepare.preparePage(deps, staffPageRights, '/admin'))
  router.get(`/${basename(staffStylesheet.path)}`, serveAsset(staffStylesheet))
  const site = createStaffSite(deps)
  router.use(requireOwnOrigin(site), prepare.waitForMongoClock(deps), loadSession(site))
  // Bull Board has no deadline, because retrying all jobs takes a while.
  router.use('/queues', requireSession, prepare.setMountPath('/queues'), createQueueBoard(deps))

  router.use('/audit/export', requireSession, createAuditExport(deps))
  router.use(formHandlers, prepare.enforceDeadline)
  addSignInPages(router, site)
  router.use(requireSession)
  addAccountPages(router, site)
  addSupportRoutes(router, deps)
  router.use((_req, res) => sendNotFound(res))
  return router
}

const titles: Record<number, [title: string, sentence: string]> = {
  413: ['Form too large', 'This form is too large.'],
  429: ['Too many requests', 'Your other pages are still loading. Wait a moment, then reload this page.'],
  500: ['Something went wrong', 'The error is logged. Try again, or contact an operator.'],
  503: ['Not available', 'The database is not responding. Try again in a few seconds.'],
}

/** A 403 means that the session ended during the request. */
export const sendStaffError: prepare.SendErrorPage = (req, res, status, error) => {
  if (status === 403) return refuseSignedOut(req, res)
  if (status === 404) return sendNotFound(res)
  const message = error instanceof Refusal ? error.message : 'This request is not valid.'
  const [title, sentence] = titles[status] ?? ['Invalid request', message]
  sendNoticePage(res, status, title, sentence)
}

const pages: Record<string, guards.StaffPage> = {
  '/': searchPage,
  '/dead': deadDeliveriesPage,
  '/audit': auditPage,
  '/reconciliations': reconciliationListPage,
  '/reconciliations/:id': reconciliationPage,
  '/payments/:reference': paymentPage,
  '/orders/:number': orderPage,
  '/deliveries/:id': deliveryPage,
  '/endpoints/:id': endpointPage,
  '/businesses': businessListPage,
  '/businesses/:id': businessPage,
  '/keys/:id': keyPage,
  '/people': peoplePage,
  '/people/account/:id': personPage,
}

function addSupportRoutes(router: Router, deps: Deps) {
  for (const [path, page] of Object.entries(pages)) router.get(path, guards.serveStaffPage(deps, page))
  const mayChangeStaff = guards.requirePermission('change-staff')
  router.get('/staff', mayChangeStaff, guards.serveStaffPage(deps, staffListPage))
  router.get('/staff/account/:id', mayChangeStaff, guards.serveStaffPage(deps, staffAccountPage))

  // Connections for lists are read-only, so audit lines use another one.
  const { AuditEvent } = deps
  const search = guards.withStaffListSlot(deps, (reading, req, res) =>
    searchByText({ ...reading, AuditEvent }, req, res),
  )
  router.post('/search', guards.checkStaffCsrf, search)
  router.post('/search/amount', guards.checkStaffCsrf, guards.withStaffListSlot(deps, searchByAmountAndDay))
  // After the sign-in, a browser may request these result pages with GET.
  router.get(['/search', '/search/amount'], (_req, res) => sendRedirect(res, '/admin'))

  for (const group of [
    businessActions,
    apiKeyActions,
    personListActions,
    personActions,
    invitationActions,
    staffListActions,
    accountActions,
    endpointActions,
  ])
    addActionRoutes(router, deps, group as ActionGroup<unknown, Deps>)
  const mayRequeue = guards.requirePermission('requeue-deliveries')
  router.post('/deliveries/:id/requeue', mayRequeue, guards.checkStaffCsrf, requeueOne(deps))
  const cancel = handleReplayCancel(deps)
  router.post('/endpoints/:id/replays/:replayId/cancel', mayRequeue, guards.checkStaffCsrf, cancel)
}

const requeueOne =
  (deps: RequeueDeps & Pick<Deps, 'secrets'>) => async (req: Request<{ id: string }>, res: Response) => {
    const { id } = req.params
    const delivery = await lookUpDelivery(deps, id)
    if (delivery === null) return sendNotFound(res)
    const outcome = (await requeueDeliveries(deps, [id], guards.staffAsActor(req, res, null))).get(id)
    const { back } = req.body as { back?: unknown }
    const page = back === 'source' ? resolveSource(delivery.referenceNumber).path : deliveryPath(id)
    sendRedirect(res, `${page}?result=${outcome}`)
  }
