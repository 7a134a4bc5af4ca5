import type { Request, Response } from 'express'
import type { IdentifiedKey } from '../../businesses/caller.ts'
import type { Deps } from '../../platform/deps.ts'
import type { CausingRequest } from '../../tracing/tracing.ts'
import type { EarlyResponse } from '../responses/envelope.ts'

export const isProbeRequest = ({ path }: Request): boolean => /^\/(healthz|readyz|metrics)$/.test(path)

/** We only link to the caller's trace, so callers don't decide what we keep. */
export function logRequest(
  deps: Pick<Deps, 'log' | 'metrics' | 'tracing'>,
  req: Request,
  res: Response,
): void {
  const startedAt = performance.now()
  const { tracing } = deps
  const isTraced = tracing !== null && res.locals.refusal === undefined && !isProbeRequest(req)
  const span = !isTraced ? null : tracing.begin(req.method, 'request', null)
  const { traceparent } = req.headers
  if (typeof traceparent === 'string') span?.link(traceparent)
  res.locals.traceparent = span?.traceparent
  res.once('close', () => {
    const key = res.locals.key as IdentifiedKey | undefined
    const written = res.locals.written as EarlyResponse | undefined
    const statusCode = written?.status ?? res.statusCode
    const durationMs = (written?.at ?? performance.now()) - startedAt
    const line = {
      requestId: res.locals.requestId,
      method: req.method,
      route: res.locals.route ?? null,
      status: written !== undefined || res.writableFinished ? statusCode : null,
      code: written?.code ?? res.locals.code ?? null,
      durationMs: Math.round(durationMs * 10) / 10,
      ip: req.ip ?? null,
      keyId: key?.keyId ?? null,
      businessId: key?.businessId ?? null,
      sandbox: key?.sandbox ?? null,
      staff: res.locals.staff ?? null,
      person: res.locals.person ?? null,
      replayed: res.hasHeader('Idempotent-Replayed'),
      traceId: span?.traceId,
    }
    const { code, status, replayed } = line
    const route = ownMethods.test(line.route ?? '') ? line.route : 'other'
    deps.metrics.requests.inc({ route, code: status === null ? 'gone' : (code ?? String(status)) })
    deps.metrics.requestDuration.observe({ route, result: resultOf(status) }, durationMs / 1000)
    if (replayed)
      deps.metrics.replays.inc({ params: res.hasHeader('Idempotent-Params-Mismatch') ? 'other' : 'same' })
    span?.end({ facts: line, failed: statusCode >= 500, name: line.route ?? req.method })
    if (statusCode >= 500) deps.log.warn(line, 'http.request')
    else deps.log.info(line, 'http.request')
  })
}

export const readCausingRequest = (res: Response): CausingRequest => ({
  requestId: String(res.locals.requestId),
  traceparent: (res.locals.traceparent as string | undefined) ?? null,
})

/** Clients may send any method, so all except these share one label. */
const ownMethods = /^(GET|HEAD|POST|PUT|PATCH|DELETE) /

function resultOf(status: number | null): 'ok' | 'refused' | 'failed' | 'gone' {
  if (status === null) return 'gone'
  if (status >= 500) return 'failed'
  return status >= 400 ? 'refused' : 'ok'
}
