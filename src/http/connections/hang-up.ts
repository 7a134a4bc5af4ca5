import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Deps } from '../../deps.ts'
import type { Refusal } from '../../errors.ts'
import { countRequest } from '../../metrics/count-request.ts'
import { failure } from '../answer.ts'
import { createApiHeaders } from '../api-headers.ts'
import type { Connection } from './connection.ts'

/** Writes the envelope on a connection that has no request to answer, and ends it. Only the first one is written. */
export type HangUp = (connection: Connection, refusal: Refusal) => void

/** Each is logged and counted like any request. */
export function createHangUp(deps: Pick<Deps, 'config' | 'log' | 'metrics'>): HangUp {
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
    const ip = socket.remoteAddress
    deps.log.info({ requestId, method: null, route: null, status, code, ip }, 'http.request')
    countRequest(deps.metrics, { route: null, code, status, seconds: 0, replayed: null })
    socket.on('error', () => socket.destroy())
    socket.end(lines.join('\r\n'))
  }
}
