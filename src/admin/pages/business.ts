import type { Request, Response } from 'express'
import { html } from 'ghtml'
import type { Business } from '../../businesses/business.ts'
import { lookUpBusiness } from '../../businesses/look-up.ts'
import type { Deps } from '../../deps.ts'
import { sendPage } from '../../http/pages/send-page.ts'
import { usagesOf } from '../../quotas/usage.ts'
import { endpointsOf, latestInTrouble } from '../../webhooks/deliveries/look-up.ts'
import { deliveriesTable } from './deliveries-table.ts'
import { receiversTable } from './endpoints-table.ts'
import { staffOf } from './guards.ts'
import { page, time } from './layout.ts'
import { auditPath } from './paths.ts'
import { quotaFacts } from './quota-facts.ts'
import { sendNotFound } from './respond.ts'
import { foreign } from './words.ts'

/** GET: one business, what is left of its quotas, its endpoints, and its failing deliveries. */
export const businessPage = (deps: Deps) => async (req: Request<{ id: string }>, res: Response) => {
  const { id } = req.params
  const [business, receivers, trouble] = await Promise.all([
    lookUpBusiness(deps, id),
    endpointsOf(deps, id),
    latestInTrouble(deps, id),
  ])
  if (business === null) return sendNotFound(res)
  const quotas = quotaFacts(deps, business, await usagesOf(deps, business))
  const body = html`<h1>!${foreign(business.name)}</h1>
    <dl class="facts card">
      <dt>Live mode</dt><dd>${business.liveApproved ? 'approved' : 'not approved: test keys only'}</dd>
      <dt>Developer API</dt><dd>${apiState(business)}</dd>
      <dt>Payment pages</dt><dd>${business.suspended ? 'closed: the business is suspended and cannot be paid' : 'open'}</dd>
      !${quotas}
      <dt>Since</dt><dd>!${time(business.createdAt)}</dd>
      <dt>Id</dt><dd class="id">${id}</dd>
      <dt>Audit trail</dt><dd><a href="${auditPath({ business: id })}">what was done here</a></dd>
    </dl>
    <h2>Receivers</h2>
    !${receivers.length === 0 ? html`<p>It has no webhook endpoint: no event is sent to it.</p>` : receiversTable(receivers)}
    <h2>Deliveries in trouble</h2>
    !${trouble.length === 0 ? html`<p>None: no delivery of it is dead or waits to be tried again.</p>` : deliveriesTable('The newest that are dead, or failed and wait', trouble)}`
  sendPage(res, 200, page({ title: business.name, staff: staffOf(res), current: null }, body))
}

function apiState({ apiEnabled, suspended }: Business): string {
  if (suspended) return 'closed: the business is suspended'
  return apiEnabled ? 'open' : 'disabled'
}
