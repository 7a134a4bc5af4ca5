import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Deps } from '../../deps.ts'
import type { Refusal } from '../../errors.ts'
import { countRefusal } from '../../metrics/count-refusal.ts'
import { countRequest } from '../../metrics/count-request.ts'
import { createApiHeaders } from '../responses/api-headers.ts'
import { failure } from '../responses/envelope.ts'
import { clientAddress } from './client-address.ts'
import type { Connection, Reply } from './connection.ts'

/** The log fields that only a request has (log-request.ts). */
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
 * Writes an error response on a connection whose next request is incomplete, and closes it. Only the first call has an
 * effect.
 */
export type HangUp = (connection: Connection, refusal: Refusal) => void

/**
 * If a request has begun, the response has its id, and log-request.ts logs and counts it. Otherwise this function logs
 * and counts it. `isProxy` returns whether an address is a proxy, so that its address is not logged as that of a
 * client.
 */
export function createHangUp(
  deps: Pick<Deps, 'config' | 'log' | 'metrics'>,
  isProxy: (address: string) => boolean,
): HangUp {
  const always = createApiHeaders(deps.config).map(([name, value]) => `${name}: ${value}`)
  return (connection, refusal) => {
    if (connection.endedAt !== null) return
    connection.endedAt = performance.now()
    const { socket } = connection
    const request = begunRequest(connection)
    const requestId = request?.requestId ?? randomUUID()
    const { status, code, headers, body } = failure(refusal, requestId)
    const lines = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      ...always,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      'Connection: close',
      '',
      body,
    ]
    if (request === null) {
      const ip = isProxy(socket.remoteAddress ?? '') ? null : clientAddress(socket.remoteAddress)
      deps.log.info({ requestId, status, code, ip, ...unknown }, 'http.request')
      countRequest(deps.metrics, { route: null, code, status, seconds: 0, replayed: null })
    } else {
      request.hungUp = { status, code: refusal.code, at: connection.endedAt }
    }
    countRefusal(deps.metrics, refusal)
    socket.end(lines.join('\r\n'))
  }
}

/** Returns the `locals` of a request that has begun and has no response yet, or null. */
function begunRequest({ current }: Connection): NonNullable<Reply['locals']> | null {
  const locals = current?.closed ? undefined : current?.locals
  return locals?.requestId === undefined ? null : locals
}
