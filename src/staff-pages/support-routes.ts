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
import { byStaff, checkCsrf, limited, requirePermission } from './guards.ts'
import { keyPage } from './key.ts'
import { sendNotFound } from './layout.ts'
import { orderPage } from './order.ts'
import { deliveryPath, sourceOf } from './paths.ts'
import { paymentPage } from './payment.ts'
import { reconciliationPage } from './reconciliation.ts'
import { reconciliationsPage } from './reconciliations.ts'
import { searchByAmountAndDay, searchByText, searchPage } from './search/search.ts'
import { staffAccountPage, staffPage } from './staff.ts'

/** Adds the pages for support staff, with the searches and the actions on them. */
export function addSupportRoutes(router: Router, deps: Deps): void {
  const show = limited(deps)
  router.get('/', show(searchPage))
  // The connections for lists only read, so the audit line of a search is written on another connection.
  const { AuditEvent } = deps
  router.post(
    '/search',
    checkCsrf,
    show((reading) => searchByText({ ...reading, AuditEvent })),
  )
  router.post('/search/amount', checkCsrf, show(searchByAmountAndDay))
  // The page of results has these URLs, so a browser may request them again after the user has signed in.
  router.get(['/search', '/search/amount'], (_req, res) => redirectTo(res, '/admin'))
  router.get('/dead', show(deadPage))
  router.get('/audit', show(auditPage))
  router.get('/reconciliations', show(reconciliationsPage))
  router.get('/reconciliations/:id', show(reconciliationPage))
  router.get('/payments/:reference', show(paymentPage))
  router.get('/orders/:number', show(orderPage))
  router.get('/deliveries/:id', show(deliveryPage))
  router.get('/endpoints/:id', show(endpointPage))
  router.get('/businesses', show(businessesPage))
  router.get('/businesses/:id', show(businessPage))
  router.get('/keys/:id', show(keyPage))
  router.get('/staff', requirePermission('change-staff'), show(staffPage))
  router.get('/staff/account/:id', requirePermission('change-staff'), show(staffAccountPage))
  router.post('/deliveries/:id/requeue', requirePermission('requeue-deliveries'), checkCsrf, requeueOne(deps))
  for (const group of [...actGroups, endpointActs]) addActs(router, deps, group as ActGroup<unknown, Deps>)
  router.post(
    '/endpoints/:id/replays/:replayId/cancel',
    requirePermission('requeue-deliveries'),
    checkCsrf,
    cancelOne(deps),
  )
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
