import { type Request, type Response, Router } from 'express'
import { readForm } from '../http/body/read-form.ts'
import {
  awaitDatabaseTime,
  enforceDeadline,
  preparePage,
  type SendError,
  setMount,
} from '../http/pages/prepare-page.ts'
import { redirectTo, sendAsset } from '../http/pages/send-page.ts'
import type { Deps } from '../platform/deps.ts'
import { Refusal } from '../platform/errors.ts'
import { createSignInChecks, type SignInChecks } from '../staff/sign-in-limit.ts'
import type { ActGroup } from '../staff-acts/act.ts'
import { actGroups } from '../staff-acts/groups.ts'
import { lookUpDelivery } from '../webhooks/deliveries/look-up.ts'
import { type RequeueDeps, requeueDeliveries } from '../webhooks/deliveries/requeue.ts'
import { addAccountPages } from './account.ts'
import { addActs } from './act-routes.ts'
import { auditExport, auditPage } from './audit.ts'
import { createBoard } from './board/board.ts'
import { businessesPage, businessPage } from './business.ts'
import { deadPage } from './dead.ts'
import { deliveryPage } from './delivery.ts'
import { cancelOne, endpointPage } from './endpoint.ts'
import { endpointActs } from './endpoint-acts.ts'
import * as guards from './guards.ts'
import { keyPage } from './key.ts'
import { sendNotFound, sendNotice } from './layout.ts'
import { deliveryPath, sourceOf } from './paths.ts'
import { orderPage, paymentPage } from './payment.ts'
import { reconciliationPage, reconciliationsPage } from './reconciliations.ts'
import { searchByAmountAndDay, searchByText, searchPage } from './search/search.ts'
import { createSessionLoader, refuseSignedOut, requireSession } from './session.ts'
import { addSignInPages } from './sign-in.ts'
import { staffAccountPage, staffPage } from './staff.ts'
import { staffPageStyle } from './style.ts'

/**
 * The path of a password link is secret, so it must not be in a referrer. But with `no-referrer`, browsers
 * would send `Origin: null`, and the origin check would refuse our own forms.
 */
export const staffPageRights = { scripts: false, images: true, referrer: 'strict-origin' } as const

/** Serves everything under `/admin`. `sendStaffError` responds to errors. */
export function adminPages(deps: Deps): Router {
  const router = Router({ strict: true, caseSensitive: true })
  router.use(preparePage(deps, staffPageRights, '/admin'))
  router.get('/style.css', sendAsset({ type: 'css', content: staffPageStyle }))
  router.use(
    guards.requireOwnOrigin(deps.config.publicUrl),
    awaitDatabaseTime(deps),
    createSessionLoader(deps),
  )
  // Bull Board requests have no deadline, because retrying all jobs can take a while.
  router.use('/queues', requireSession, setMount('/queues'), createBoard(deps))

  router.use('/audit/export', requireSession, auditExport(deps))
  router.use(readForm, enforceDeadline)
  const signInDeps: Deps & SignInChecks = Object.assign(Object.create(deps), createSignInChecks(deps))
  addSignInPages(router, signInDeps)
  router.use(requireSession)
  addAccountPages(router, signInDeps)
  addSupportRoutes(router, deps)
  router.use((_req, res) => sendNotFound(res))
  return router
}

const titles: Record<number, [title: string, sentence: string]> = {
  413: ['Form too large', 'This form is too large.'],
  429: ['Too many requests', 'Your other pages are still loading. Wait a moment, then reload this page.'],
  500: [
    'Something went wrong',
    'An unexpected error occurred. It is logged. Try again, or contact an operator.',
  ],
  503: ['Not available', 'The database is not responding. Try again in a few seconds.'],
}

/** A 403 error means that the session ended during the request. */
export const sendStaffError: SendError = (req, res, status, error) => {
  if (status === 403) return refuseSignedOut(req, res)
  if (status === 404) return sendNotFound(res)
  const message = error instanceof Refusal ? error.message : 'This request is not valid.'
  const [title, sentence] = titles[status] ?? ['Request not valid', message]
  sendNotice(res, status, title, sentence)
}

const pages: Record<string, guards.StaffPage> = {
  '/': searchPage,
  '/dead': deadPage,
  '/audit': auditPage,
  '/reconciliations': reconciliationsPage,
  '/reconciliations/:id': reconciliationPage,
  '/payments/:reference': paymentPage,
  '/orders/:number': orderPage,
  '/deliveries/:id': deliveryPage,
  '/endpoints/:id': endpointPage,
  '/businesses': businessesPage,
  '/businesses/:id': businessPage,
  '/keys/:id': keyPage,
}

function addSupportRoutes(router: Router, deps: Deps): void {
  for (const [path, page] of Object.entries(pages)) router.get(path, guards.serveStaffPage(deps, page))
  const mayChangeStaff = guards.requirePermission('change-staff')
  router.get('/staff', mayChangeStaff, guards.serveStaffPage(deps, staffPage))
  router.get('/staff/account/:id', mayChangeStaff, guards.serveStaffPage(deps, staffAccountPage))

  // The connections for lists are read-only, so a search writes its audit line on a different connection.
  const { AuditEvent } = deps
  const search = guards.withStaffListSlot(deps, (reading, req, res) =>
    searchByText({ ...reading, AuditEvent }, req, res),
  )
  router.post('/search', guards.checkCsrf, search)
  router.post('/search/amount', guards.checkCsrf, guards.withStaffListSlot(deps, searchByAmountAndDay))
  // Results have these URLs, so a browser may request them again with GET after the user has signed in.
  router.get(['/search', '/search/amount'], (_req, res) => redirectTo(res, '/admin'))

  for (const group of [...actGroups, endpointActs]) addActs(router, deps, group as ActGroup<unknown, Deps>)
  const mayRequeue = guards.requirePermission('requeue-deliveries')
  router.post('/deliveries/:id/requeue', mayRequeue, guards.checkCsrf, requeueOne(deps))
  router.post('/endpoints/:id/replays/:replayId/cancel', mayRequeue, guards.checkCsrf, cancelOne(deps))
}

const requeueOne =
  (deps: RequeueDeps & Pick<Deps, 'secrets'>) => async (req: Request<{ id: string }>, res: Response) => {
    const { id } = req.params
    const delivery = await lookUpDelivery(deps, id)
    if (delivery === null) return sendNotFound(res)
    const outcome = (await requeueDeliveries(deps, [id], guards.byStaff(req, res, null))).get(id)
    const { back } = req.body as { back?: unknown }
    const page = back === 'source' ? sourceOf(delivery.referenceNumber).path : deliveryPath(id)
    redirectTo(res, `${page}?result=${outcome}`)
  }
