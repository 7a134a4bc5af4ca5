import type { Request, Response } from 'express'
import type { Deps } from '../../deps.ts'
import { redirectTo } from '../../http/pages/send-page.ts'
import { type Span, upToNow } from '../../input/span.ts'
import { countDeadOf } from '../../webhooks/deliveries/backlog.ts'
import { deadIn } from '../../webhooks/deliveries/dead-in.ts'
import { lookUpDelivery, lookUpEndpoint } from '../../webhooks/deliveries/look-up.ts'
import { type Requeuer, requeueDeliveries } from '../../webhooks/deliveries/requeue.ts'
import { requeueAll } from '../../webhooks/deliveries/requeue-all.ts'
import { isReceiving } from '../../webhooks/endpoints/endpoint.ts'
import { readFormSpan, spanFields } from './form-span.ts'
import { deliveryPath, endpointPath, sourcePath } from './paths.ts'
import { requeuer } from './requeuer.ts'
import { sendNotFound } from './respond.ts'

/**
 * One request re-queues for at most this long. Staff re-queue the rest with another request. A page has 8 s in all
 * (router.ts).
 */
const budgetMs = 5000

/** POST: re-queues one delivery. */
export const requeueOne = (deps: Deps) => async (req: Request<{ id: string }>, res: Response) => {
  const { id } = req.params
  const delivery = await lookUpDelivery(deps, id)
  if (delivery === null) return sendNotFound(res)
  const outcome = (await requeueDeliveries(deps, [id], requeuer(req, res))).get(id)
  const { back } = req.body as { back?: unknown }
  const page = back === 'source' ? sourcePath(delivery.referenceNumber) : deliveryPath(id)
  redirectTo(res, `${page}?result=${outcome}`)
}

/** POST: re-queues all deliveries of an endpoint that have died so far, or that died in the time span of the form. */
export const requeueEndpoint = (deps: Deps) => async (req: Request<{ id: string }>, res: Response) => {
  const { id } = req.params
  // The end stays fixed when the form is submitted again to continue.
  const span = upToNow(deps, readFormSpan(deps, req.body))
  const endpoint = await lookUpEndpoint(deps, id)
  if (endpoint === null) return sendNotFound(res)
  if (!isReceiving(endpoint)) return redirectTo(res, `${endpointPath(id)}?result=endpoint-gone`)
  const done = await requeueForAWhile(deps, id, span, requeuer(req, res))
  const left = await countDeadOf(deps, id, span)
  redirectTo(res, `${endpointPath(id)}?${resultQuery({ ...done, left }, span)}`)
}

async function requeueForAWhile(deps: Deps, endpointId: string, span: Span, by: Requeuer) {
  const endsAt = performance.now() + budgetMs
  const done = { requeued: 0, skipped: 0 }
  for await (const outcomes of requeueAll(deps, { endpointId, ...deadIn(span) }, by)) {
    for (const outcome of outcomes.values()) done[outcome === 'requeued' ? 'requeued' : 'skipped'] += 1
    if (performance.now() > endsAt) break
  }
  return done
}

function resultQuery(done: Record<string, number>, span: Span): string {
  const query = new URLSearchParams({ result: 'all', ...spanFields(span) })
  for (const [name, value] of Object.entries(done)) query.set(name, String(value))
  return query.toString()
}
