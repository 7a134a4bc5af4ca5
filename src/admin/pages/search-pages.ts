import { Router } from 'express'
import type { Deps } from '../../deps.ts'
import { businessPage } from './business.ts'
import { deadPage } from './dead.ts'
import { deliveryPage } from './delivery.ts'
import { endpointPage } from './endpoint.ts'
import { checkCsrf, requireSupport } from './guards.ts'
import { paymentPage } from './payment.ts'
import { searchPage } from './search.ts'
import { sendAgain, sendAllAgain } from './send-again.ts'

/** What a merchant on the phone asks about, and the two acts that help. */
export function searchPages(deps: Deps): Router {
  const router = Router({ strict: true, caseSensitive: true })
  router.get('/', searchPage(deps))
  router.get('/dead', deadPage(deps))
  router.get('/payments/:reference', paymentPage(deps))
  router.get('/deliveries/:id', deliveryPage(deps))
  router.get('/endpoints/:id', endpointPage(deps))
  router.get('/businesses/:id', businessPage(deps))
  router.post('/deliveries/:id/send-again', requireSupport, checkCsrf, sendAgain(deps))
  router.post('/endpoints/:id/send-all-again', requireSupport, checkCsrf, sendAllAgain(deps))
  return router
}
