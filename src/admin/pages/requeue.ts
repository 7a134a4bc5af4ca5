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
 * The maximum time that one request spends re-queuing deliveries. A page may take 8 s in total (router.ts). If
 * deliveries remain after this time, staff can re-queue them with another request.
 */
const budgetMs = 5000

/** Handles POST requests that re-queue one delivery. */
export const requeueOne = (deps: Deps) => async (req: Request<{ id: string }>, res: Response) => {
  const { id } = req.params
  const delivery = await lookUpDelivery(deps, id)
  if (delivery === null) return sendNotFound(res)
  const outcome = (await requeueDeliveries(deps, [id], requeuer(req, res))).get(id)
  const { back } = req.body as { back?: unknown }
  const page = back === 'source' ? sourcePath(delivery.referenceNumber) : deliveryPath(id)
  redirectTo(res, `${page}?result=${outcome}`)
}

/**
 * Handles POST requests that re-queue an endpoint's dead deliveries. Each request re-queues either all deliveries that
 * have died so far, or those that died within the time span in the form.
 */
export const requeueEndpoint = (deps: Deps) => async (req: Request<{ id: string }>, res: Response) => {
  const { id } = req.params
  // The end of the span is fixed here, and stays the same when staff submit the form again to re-queue the remaining
  // deliveries.
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
