import type { Request, Response, Router } from 'express'
import { redirectTo } from '../http/pages/send-page.ts'
import type { Deps } from '../platform/deps.ts'
import type { ActGroup } from '../staff-acts/act.ts'
import { actGroups } from '../staff-acts/groups.ts'
import { lookUpDelivery } from '../webhooks/deliveries/look-up.ts'
import { type RequeueDeps, requeueDeliveries } from '../webhooks/deliveries/requeue.ts'
import { addActs } from './act-routes.ts'
import { auditPage } from './audit.ts'
import { businessesPage, businessPage } from './business.ts'
import { deadPage } from './dead.ts'
import { deliveryPage } from './delivery.ts'
import { cancelOne, endpointPage } from './endpoint.ts'
import { endpointActs } from './endpoint-acts.ts'
import { byStaff, checkCsrf, limited, requirePermission, type StaffPage, show } from './guards.ts'
import { keyPage } from './key.ts'
import { sendNotFound } from './layout.ts'
import { deliveryPath, sourceOf } from './paths.ts'
import { orderPage, paymentPage } from './payment.ts'
import { reconciliationPage, reconciliationsPage } from './reconciliations.ts'
import { searchByAmountAndDay, searchByText, searchPage } from './search/search.ts'
import { staffAccountPage, staffPage } from './staff.ts'

const pages: Record<string, StaffPage> = {
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

/** Adds the pages for support staff, with their searches and actions. */
export function addSupportRoutes(router: Router, deps: Deps): void {
  for (const [path, page] of Object.entries(pages)) router.get(path, show(deps, page))
  const mayChangeStaff = requirePermission('change-staff')
  router.get('/staff', mayChangeStaff, show(deps, staffPage))
  router.get('/staff/account/:id', mayChangeStaff, show(deps, staffAccountPage))

  // The connections for lists only read, so the audit line of a search is written on another connection.
  const { AuditEvent } = deps
  const search = limited(deps, (reading, req, res) => searchByText({ ...reading, AuditEvent }, req, res))
  router.post('/search', checkCsrf, search)
  router.post('/search/amount', checkCsrf, limited(deps, searchByAmountAndDay))
  // The page of results has these URLs, so a browser may request them again after the user has signed in.
  router.get(['/search', '/search/amount'], (_req, res) => redirectTo(res, '/admin'))

  for (const group of [...actGroups, endpointActs]) addActs(router, deps, group as ActGroup<unknown, Deps>)
  const mayRequeue = requirePermission('requeue-deliveries')
  router.post('/deliveries/:id/requeue', mayRequeue, checkCsrf, requeueOne(deps))
  router.post('/endpoints/:id/replays/:replayId/cancel', mayRequeue, checkCsrf, cancelOne(deps))
}

const requeueOne =
  (deps: RequeueDeps & Pick<Deps, 'secrets'>) => async (req: Request<{ id: string }>, res: Response) => {
    const { id } = req.params
    const delivery = await lookUpDelivery(deps, id)
    if (delivery === null) return sendNotFound(res)
    const outcome = (await requeueDeliveries(deps, [id], byStaff(req, res, null))).get(id)
    const { back } = req.body as { back?: unknown }
    const page = back === 'source' ? sourceOf(delivery.referenceNumber).path : deliveryPath(id)
    redirectTo(res, `${page}?result=${outcome}`)
  }
