import type { Request, Response } from 'express'
import { html } from 'ghtml'
import type { Business } from '../../businesses/business.ts'
import { listKeys } from '../../businesses/list-keys.ts'
import { lookUpBusiness } from '../../businesses/look-up.ts'
import { usagesOf } from '../../businesses/quotas.ts'
import type { Deps } from '../../deps.ts'
import { sendPage } from '../../http/pages/send-page.ts'
import { openPaymentsOf } from '../../intents/payments/list-open.ts'
import { countDeadOfBusiness } from '../../webhooks/deliveries/backlog.ts'
import { endpointsOf, latestInTrouble } from '../../webhooks/deliveries/look-up.ts'
import { actLinks, actNotice } from '../acts/act-links.ts'
import { businessActs } from '../acts/business-acts.ts'
import { activityCharts, isSandboxShown } from './activity.ts'
import { balances } from './balances.ts'
import { businessBadges } from './businesses.ts'
import { commissionFacts } from './commission-facts.ts'
import { deliveriesTable } from './deliveries-table.ts'
import { endpointsTable } from './endpoints-table.ts'
import { staffOf } from './guards.ts'
import { keysTable } from './keys-table.ts'
import { page, time } from './layout.ts'
import { openPaymentsSection } from './open-payments.ts'
import { auditPath } from './paths.ts'
import { quotaFacts } from './quota-facts.ts'
import { sendNotFound } from './respond.ts'
import { atMost, userText } from './words.ts'

/** The maximum number of keys on the page. Few businesses have more than ten. */
const maxKeys = 100

/**
 * Handles GET requests for a business's page. The sections are read one after another, because a page may use only a
 * few connections at a time (lists.ts).
 */
export const businessPage = (deps: Deps) => async (req: Request<{ id: string }>, res: Response) => {
  const { id } = req.params
  const business = await lookUpBusiness(deps, id)
  if (business === null) return sendNotFound(res)
  const staff = staffOf(res)
  const body = html`<h1>!${userText(business.name)} !${businessBadges(business)}</h1>
    !${actNotice(businessActs, business, req.query)}
    !${await facts(deps, business)}
    !${actLinks(businessActs, id, business, staff)}
    !${await balances(deps, id)}
    !${await keys(deps, id)}
    !${openPaymentsSection(await openPaymentsOf(deps, id))}
    !${await endpoints(deps, id)}
    !${await failingDeliveries(deps, id)}
    !${await activityCharts(deps, { businessId: id, sandbox: isSandboxShown(req) })}`
  sendPage(res, 200, page({ title: business.name, staff, current: null }, body))
}

async function facts(deps: Deps, business: Business): Promise<string> {
  const { _id: id } = business
  const usages = await usagesOf(deps, business)
  const shops = await deps.Shop.find({ businessId: id }).sort({ sandbox: 1 }).lean()
  const shopNames = shops.map(
    ({ name, sandbox }) => html`<div>!${userText(name)} (${sandbox ? 'sandbox' : 'live'})</div>`,
  )
  return html`<dl class="facts card">
      <dt>Live mode</dt><dd>${business.liveApproved ? 'approved' : 'not approved: test keys only'}</dd>
      <dt>Developer API</dt><dd>${apiState(business)}</dd>
      <dt>Payment pages</dt><dd>${business.suspended ? 'closed: the business is suspended' : 'open'}</dd>
      !${quotaFacts(deps, business, usages)}
      !${commissionFacts(deps, business)}
      <dt>Shop</dt><dd>!${shopNames.length === 0 ? 'none' : shopNames}</dd>
      <dt>Created</dt><dd>!${time(business.createdAt)}</dd>
      <dt>Id</dt><dd class="id">${id}</dd>
      <dt>Audit trail</dt><dd><a href="${auditPath({ business: id })}">show the entries of this business</a></dd>
    </dl>`
}

function apiState({ apiEnabled, suspended }: Business): string {
  if (suspended) return 'closed: the business is suspended'
  return apiEnabled ? 'open' : 'disabled'
}

const keys = async (deps: Deps, id: string): Promise<string> =>
  html`<h2>Keys</h2>!${keysTable(await listKeys(deps, { businessId: id }, { limit: maxKeys, after: null }))}`

async function endpoints(deps: Deps, id: string): Promise<string> {
  const found = await endpointsOf(deps, id)
  const none = html`<p>This business has no webhook endpoint, so it receives no events.</p>`
  return html`<h2>Endpoints</h2>!${found.length === 0 ? none : endpointsTable(found)}`
}

async function failingDeliveries(deps: Deps, id: string): Promise<string> {
  const [failing, dead] = await Promise.all([latestInTrouble(deps, id), countDeadOfBusiness(deps, id)])
  const title = 'Latest deliveries that are dead or waiting for a retry'
  const none = html`<p>None. No delivery is dead or waiting for a retry.</p>`
  return html`<h2>Failing deliveries</h2>
    !${dead === 0 ? '' : html`<p>Dead: ${atMost(dead)}. <a href="/admin/dead">Re-queue them by endpoint</a></p>`}
    !${failing.length === 0 ? none : deliveriesTable(title, failing)}`
}
