import type { Request, Response } from 'express'
import { newId } from '../../security/ids.ts'
import type { Requeuer } from '../../webhooks/deliveries/requeue.ts'
import { staffOf } from './guards.ts'

/** The member of staff who re-queues. Each request has an id of its own, so it re-queues each delivery only once. */
export const requeuer = (req: Pick<Request, 'ip'>, res: Response): Requeuer => ({
  actor: { kind: 'staff', name: staffOf(res).name, ip: req.ip ?? null },
  actId: newId(),
})
