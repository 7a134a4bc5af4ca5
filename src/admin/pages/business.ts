import type { Request, Response } from 'express'
import { html } from 'ghtml'
import type { Business } from '../../businesses/business.ts'
import { lookUpBusiness } from '../../businesses/look-up.ts'
import type { Deps } from '../../deps.ts'
import { sendPage } from '../../http/pages/send-page.ts'
import { usagesOf } from '../../quotas/usage.ts'
import { endpointsOf, latestInTrouble } from '../../webhooks/deliveries/look-up.ts'
import { deliveriesTable } from './deliveries-table.ts'
import { endpointsTable } from './endpoints-table.ts'
import { staffOf } from './guards.ts'
import { page, time } from './layout.ts'
import { auditPath } from './paths.ts'
import { quotaFacts } from './quota-facts.ts'
import { sendNotFound } from './respond.ts'
import { userText } from './words.ts'

/** Handles GET requests for a business's page, which shows the business's quotas, endpoints and failing deliveries. */
export const businessPage = (deps: Deps) => async (req: Request<{ id: string }>, res: Response) => {
  const { id } = req.params
  const [business, endpoints, failing] = await Promise.all([
    lookUpBusiness(deps, id),
    endpointsOf(deps, id),
    latestInTrouble(deps, id),
  ])
  if (business === null) return sendNotFound(res)
  const quotas = quotaFacts(deps, business, await usagesOf(deps, business))
  const body = html`<h1>!${userText(business.name)}</h1>
    <dl class="facts card">
      <dt>Live mode</dt><dd>${business.liveApproved ? 'approved' : 'not approved: test keys only'}</dd>
      <dt>Developer API</dt><dd>${apiState(business)}</dd>
      <dt>Payment pages</dt><dd>${business.suspended ? 'closed: the business is suspended' : 'open'}</dd>
      !${quotas}
      <dt>Created</dt><dd>!${time(business.createdAt)}</dd>
      <dt>Id</dt><dd class="id">${id}</dd>
      <dt>Audit trail</dt><dd><a href="${auditPath({ business: id })}">show the entries of this business</a></dd>
    </dl>
    <h2>Endpoints</h2>
    !${endpoints.length === 0 ? html`<p>This business has no webhook endpoint, so it receives no events.</p>` : endpointsTable(endpoints)}
    <h2>Failing deliveries</h2>
    !${failing.length === 0 ? html`<p>None. No delivery is dead or waiting for a retry.</p>` : deliveriesTable('Latest deliveries that are dead or waiting for a retry', failing)}`
  sendPage(res, 200, page({ title: business.name, staff: staffOf(res), current: null }, body))
}

function apiState({ apiEnabled, suspended }: Business): string {
  if (suspended) return 'closed: the business is suspended'
  return apiEnabled ? 'open' : 'disabled'
}
