import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Deps } from '../../deps.ts'
import type { Refusal } from '../../errors.ts'
import { countRefusal } from '../../metrics/count-refusal.ts'
import { countRequest } from '../../metrics/count-request.ts'
import { failure } from '../answer.ts'
import { createApiHeaders } from '../api-headers.ts'
import { clientAddress } from '../client-address.ts'
import type { Connection } from './connection.ts'

/** What log-request.ts says of a request that was read. */
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

/** Writes the envelope on a connection that has no request to answer, and ends it. Only the first one is written. */
export type HangUp = (connection: Connection, refusal: Refusal) => void

/** Each is logged and counted like any request. `isProxy` tells the addresses whose connections are those of others. */
export function createHangUp(
  deps: Pick<Deps, 'config' | 'log' | 'metrics'>,
  isProxy: (address: string) => boolean,
): HangUp {
  const always = createApiHeaders(deps.config).map(([name, value]) => `${name}: ${value}`)
  return (connection, refusal) => {
    if (connection.endedAt !== null) return
    connection.endedAt = performance.now()
    const { socket } = connection
    const requestId = randomUUID()
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
    const ip = isProxy(socket.remoteAddress ?? '') ? null : clientAddress(socket.remoteAddress)
    deps.log.info({ requestId, status, code, ip, ...unknown }, 'http.request')
    countRequest(deps.metrics, { route: null, code, status, seconds: 0, replayed: null })
    countRefusal(deps.metrics, refusal)
    socket.end(lines.join('\r\n'))
  }
}
