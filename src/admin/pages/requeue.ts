import type { Request, Response } from 'express'
import type { Deps } from '../../deps.ts'
import { redirectTo } from '../../http/pages/send-page.ts'
import { newId } from '../../security/ids.ts'
import { lookUpDelivery } from '../../webhooks/deliveries/look-up.ts'
import { type Requeuer, requeueDeliveries } from '../../webhooks/deliveries/requeue.ts'
import { byStaff } from './guards.ts'
import { deliveryPath, sourcePath } from './paths.ts'
import { sendNotFound } from './respond.ts'

/**
 * Returns the member of staff who is re-queuing deliveries, together with a new id for this request. The id ensures
 * that one request re-queues each delivery only once.
 */
export const requeuer = (req: Pick<Request, 'ip'>, res: Response): Requeuer => ({
  ...byStaff(req, res, null),
  actId: newId(),
})

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
