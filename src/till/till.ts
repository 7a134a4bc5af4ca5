import type { AreaPages } from '../people-pages/router.ts'
import { serveVisit } from '../people-pages/serve.ts'
import { hasRight } from '../people-pages/visit.ts'
import { showDay } from './day.ts'
import { makePayment, showForm } from './form.ts'
import { localeOf } from './locale.ts'
import { cancelPayment, sendState, showPayment, withPayment } from './payment.ts'

/** Where cashiers take payments, on a phone. */
export const till: AreaPages = {
  path: '/till',
  navigation(visit) {
    const { base, member, res } = visit
    const { words } = localeOf(res)
    const [here, there] = member.sandbox ? (['test', 'live'] as const) : (['live', 'test'] as const)
    const other = { path: base.replace(`/${here}`, `/${there}`), text: words.otherMode[there] }
    const portal = { path: base.replace('/till', '/portal'), text: words.portal }
    return [
      { path: base, text: words.newPayment },
      { path: `${base}/day`, text: words.today },
      ...(hasRight(visit, 'read-payments') ? [portal] : []),
      ...(member.business.liveApproved ? [other] : []),
    ]
  },
  addPages(router) {
    const payment = '/payments/:reference'
    router.get('/', serveVisit('use-till', showForm))
    router.post('/', serveVisit('use-till', makePayment))
    router.get('/day', serveVisit('use-till', showDay))
    router.get(payment, serveVisit('use-till', withPayment(showPayment)))
    router.get(`${payment}/state`, serveVisit('use-till', withPayment(sendState)))
    router.post(`${payment}/cancel`, serveVisit('use-till', withPayment(cancelPayment)))
  },
}
