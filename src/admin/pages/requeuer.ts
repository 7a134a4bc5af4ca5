import type { Request, Response } from 'express'
import { newId } from '../../security/ids.ts'
import type { Requeuer } from '../../webhooks/deliveries/requeue.ts'
import { byStaff } from './guards.ts'

/**
 * Returns the member of staff who is re-queuing deliveries, together with a new id for this request. The id ensures
 * that one request re-queues each delivery only once.
 */
export const requeuer = (req: Pick<Request, 'ip'>, res: Response): Requeuer => ({
  ...byStaff(req, res, null),
  actId: newId(),
})
