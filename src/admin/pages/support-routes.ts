import { Router } from 'express'
import type { Deps } from '../../deps.ts'
import { auditPage } from './audit.ts'
import { businessPage } from './business.ts'
import { deadPage } from './dead.ts'
import { deliveryPage } from './delivery.ts'
import { endpointPage } from './endpoint.ts'
import { checkCsrf, requireSupport } from './guards.ts'
import { orderPage } from './order.ts'
import { paymentPage } from './payment.ts'
import { searchPage } from './search.ts'
import { sendAgain, sendAllAgain } from './send-again.ts'

/** What support staff look at, and the two acts that help a merchant on the phone. */
export function supportRoutes(deps: Deps): Router {
  const router = Router({ strict: true, caseSensitive: true })
  router.get('/', searchPage(deps))
  router.get('/dead', deadPage(deps))
  router.get('/audit', auditPage(deps))
  router.get('/payments/:reference', paymentPage(deps))
  router.get('/orders/:number', orderPage(deps))
  router.get('/deliveries/:id', deliveryPage(deps))
  router.get('/endpoints/:id', endpointPage(deps))
  router.get('/businesses/:id', businessPage(deps))
  router.post('/deliveries/:id/send-again', requireSupport, checkCsrf, sendAgain(deps))
  router.post('/endpoints/:id/send-all-again', requireSupport, checkCsrf, sendAllAgain(deps))
  return router
}
