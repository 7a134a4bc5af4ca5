import type { Router } from 'express'
import { sendRedirect } from '../http/pages/send-page.ts'
import type { RightName } from '../people/rights.ts'
import { frameLocaleOf } from '../people-pages/locale.ts'
import type { AreaPages } from '../people-pages/router.ts'
import { hasRight, pathIn, type Visit } from '../people-pages/visit.ts'
import { addActivityPage } from './activity.ts'
import { addKeyPages } from './keys.ts'
import { addLimitsPage } from './limits.ts'
import { addMoneyPages } from './money.ts'
import { addPaymentPages } from './payments.ts'
import { addPeoplePages } from './people.ts'
import { addWebhookPages, endpointBanners } from './webhooks.ts'

const sections = {
  payments: 'read-payments',
  money: 'read-money',
  webhooks: 'read-webhooks',
  keys: 'read-keys',
  people: 'read-people',
  limits: 'read-limits',
  activity: 'read-acts',
} as const satisfies Record<string, RightName>

/** What owners and accountants see of their business, and what owners change. */
export const portal: AreaPages = {
  path: '/portal',
  navigation(visit) {
    const { base, member, res } = visit
    const { sections: names, till, otherMode } = frameLocaleOf(res).words
    const there = { ...member, sandbox: !member.sandbox }
    const pages = Object.entries(sections)
      .filter(([, right]) => hasRight(visit, right))
      .map(([name]) => ({ path: `${base}/${name}`, text: names[name as keyof typeof sections] }))
    const tillLink = { path: pathIn(member, '/till'), text: till }
    const other = { path: pathIn(there, '/portal'), text: otherMode[there.sandbox ? 'test' : 'live'] }
    return [...pages, ...(hasRight(visit, 'use-till') ? [tillLink] : []), other]
  },
  banners: endpointBanners,
  addPages(router: Router) {
    router.get('/', (_req, res) => sendRedirect(res, `${(res.locals.visit as Visit).base}/payments`))
    addPaymentPages(router)
    addMoneyPages(router)
    addKeyPages(router)
    addPeoplePages(router)
    addLimitsPage(router)
    addActivityPage(router)
    addWebhookPages(router)
  },
}
