import { randomUUID } from 'node:crypto'
import { IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http'
import type { Express, Request, Response } from 'express'
import type { Deps } from '../../deps.ts'
import type { Refusal } from '../../errors.ts'
import { countRequest } from '../../metrics/count-request.ts'
import { failure } from '../responses/envelope.ts'
import { readAddress } from './client-address.ts'
import type { Connection, Reply } from './connection.ts'

/** The values of the log fields that are unknown because no request has started (log-request.ts). */
const unknown = {
  method: null,
  route: null,
  durationMs: null,
  keyId: null,
  businessId: null,
  sandbox: null,
  staff: null,
  replayed: false,
}

/**
 * Writes an error response to a connection whose next request is incomplete, and closes the connection. `url` is that
 * of the request if the request has not started, but its URL is known. Only the first call has an effect.
 */
export type HangUp = (connection: Connection, refusal: Refusal, url?: string) => void

/** A URL whose errors have the envelope, for a request whose URL is unknown. */
const unknownUrl = '/api'

/**
 * Creates the HangUp function. `app` renders the error as for a complete request, so pages have error pages. If a
 * request has started, the error response contains the request's id, and log-request.ts logs and counts the response.
 * Otherwise, the HangUp function logs and counts the response itself. `isProxy` returns whether an address belongs to a
 * proxy, because such an address must not be logged as a client's address.
 */
export function createHangUp(
  deps: Pick<Deps, 'config' | 'log' | 'metrics'>,
  app: Express,
  isProxy: (address: string) => boolean,
): HangUp {
  return (connection, refusal, url) => {
    if (connection.endedAt !== null) return
    connection.endedAt = performance.now()
    const { socket, current } = connection
    const request = begunRequest(connection)
    const requestId = request?.requestId ?? randomUUID()
    const { status, code } = failure(refusal, requestId)
    if (request === null) {
      const ip = isProxy(socket.remoteAddress ?? '') ? null : readAddress(socket.remoteAddress)
      deps.log.info({ requestId, status, code, ip, ...unknown }, 'http.request')
      countRequest(deps.metrics, { route: null, code, status, seconds: 0, replayed: null })
    } else {
      request.hungUp = { status, code: refusal.code, at: connection.endedAt }
    }
    const known = current?.closed ? null : (current?.req as Partial<Request> | undefined)
    // Express shortens `url` within a router.
    const target = url ?? known?.originalUrl ?? known?.url ?? ''
    const req = Object.assign(new IncomingMessage(socket), {
      method: 'GET',
      url: target.startsWith('/') ? target : unknownUrl,
      headers: known?.headers ?? {},
    })
    const res = Object.assign(new ServerResponse(req), { locals: { requestId, refusal } })
    res.end = (body: unknown) => {
      const headers = Object.entries({ ...res.getHeaders(), connection: 'close' })
      const lines = headers.map(([name, value]) => `${name}: ${String(value)}`)
      socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', String(body)].join('\r\n'))
      return res
    }
    void app(req as Request, res as unknown as Response)
  }
}

/**
 * Returns the `locals` of the request that has started but has no response yet, or null if there is no such request.
 */
function begunRequest({ current }: Connection): NonNullable<Reply['locals']> | null {
  const locals = current?.closed ? undefined : current?.locals
  return locals?.requestId === undefined ? null : locals
}
