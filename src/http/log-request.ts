import type { Request, Response } from 'express'
import type { Caller } from '../businesses/caller.ts'
import type { Deps } from '../deps.ts'

/** One wide line per request when its answer is out, or its connection gone. Never a header, a body or a query. */
export function logRequest(deps: Pick<Deps, 'log'>, req: Request, res: Response): void {
  const startedAt = performance.now()
  res.once('close', () => {
    const caller = res.locals.caller as Caller | undefined
    const line = {
      requestId: res.locals.requestId,
      method: req.method,
      route: res.locals.route ?? null,
      status: res.writableFinished ? res.statusCode : null,
      code: res.locals.code ?? null,
      durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
      ip: req.ip,
      keyId: caller?.keyId ?? null,
      businessId: caller?.businessId ?? null,
      sandbox: caller?.sandbox ?? null,
      staff: (res.locals.staff as { name: string } | undefined)?.name ?? null,
      replayed: res.hasHeader('Idempotent-Replayed'),
    }
    if (res.statusCode >= 500) deps.log.warn(line, 'http.request')
    else deps.log.info(line, 'http.request')
  })
}
