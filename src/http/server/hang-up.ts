import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Deps } from '../../deps.ts'
import type { Refusal } from '../../errors.ts'
import { countRefusal } from '../../metrics/count-refusal.ts'
import { countRequest } from '../../metrics/count-request.ts'
import { createApiHeaders } from '../responses/api-headers.ts'
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
 * Writes an error response to a connection whose next request is incomplete, and closes the connection. Only the first
 * call has an effect.
 */
export type HangUp = (connection: Connection, refusal: Refusal) => void

/**
 * Creates the HangUp function. If a request has started, the error response contains the request's id, and
 * log-request.ts logs and counts the response. Otherwise, the HangUp function logs and counts the response itself.
 * `isProxy` returns whether an address belongs to a proxy, because such an address must not be logged as a client's
 * address.
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
      const ip = isProxy(socket.remoteAddress ?? '') ? null : readAddress(socket.remoteAddress)
      deps.log.info({ requestId, status, code, ip, ...unknown }, 'http.request')
      countRequest(deps.metrics, { route: null, code, status, seconds: 0, replayed: null })
    } else {
      request.hungUp = { status, code: refusal.code, at: connection.endedAt }
    }
    countRefusal(deps.metrics, refusal)
    socket.end(lines.join('\r\n'))
  }
}

/**
 * Returns the `locals` of the request that has started but has no response yet, or null if there is no such request.
 */
function begunRequest({ current }: Connection): NonNullable<Reply['locals']> | null {
  const locals = current?.closed ? undefined : current?.locals
  return locals?.requestId === undefined ? null : locals
}
