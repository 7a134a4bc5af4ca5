import type { Request, Response } from 'express'
import { newId } from '../../security/ids.ts'
import type { Requeuer } from '../../webhooks/deliveries/requeue.ts'
import { staffOf } from './guards.ts'

/** Who asks, on a page. One id for each request: what it asks for is done once at each delivery. */
export const requeuer = (req: Pick<Request, 'ip'>, res: Response): Requeuer => ({
  actor: { kind: 'staff', name: staffOf(res).name, ip: req.ip ?? null },
  actId: newId(),
})
