import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { TLSSocket } from 'node:tls'
import { withTimeout } from '../../platform/timeout.ts'

export interface ProviderRequest {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body: string | null
}

export interface ProviderResponse {
  outcome: 'responded'
  status: number
  body: string
}

/** `lost`: the provider may have received the whole request. `why` is for operators, and quotes no message. */
export type Exchange =
  | ProviderResponse
  | { outcome: 'lost'; why: string }
  | { outcome: 'never-sent'; why: string }

/** Sent any later, an order would probably time out while the provider carries it out. */
export const connectionWaitFraction = 0.5

/** Genuine responses have 100 to 200 bytes. */
const maxResponseBytes = 16 * 1024

/** `start` is called exactly once. `timeoutMs` covers everything up to the end of the response. */
export async function exchange(
  start: (options: RequestOptions) => ClientRequest,
  { body, ...options }: ProviderRequest,
  timeoutMs: number,
): Promise<Exchange> {
  const startedAt = performance.now()
  const request = start(options)
  const fault = new Promise<string>((resolve) => request.on('error', (error) => resolve(reasonOf(error))))
  const connecting = Promise.race([connected(request), fault])
  const unconnected = await withTimeout(connecting, timeoutMs * connectionWaitFraction, () => 'no connection')
  if (unconnected !== null) {
    request.destroy()
    return { outcome: 'never-sent', why: unconnected }
  }
  request.end(body ?? undefined)
  const lost = (why: string): Exchange => ({ outcome: 'lost', why })
  const receiving = Promise.race([receive(request), fault.then(lost)])
  return withTimeout(receiving, timeoutMs - (performance.now() - startedAt), () => {
    request.destroy()
    return lost('timeout')
  })
}

const connected = (request: ClientRequest): Promise<null> =>
  new Promise((resolve) => {
    request.on('socket', (socket) => {
      if (request.reusedSocket) resolve(null)
      else socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', () => resolve(null))
    })
  })

const receive = (request: ClientRequest): Promise<Exchange> =>
  new Promise((resolve) => request.on('response', (response) => resolve(read(response))))

async function read(response: IncomingMessage): Promise<Exchange> {
  const chunks: Buffer[] = []
  let receivedBytes = 0
  try {
    for await (const chunk of response) {
      chunks.push(chunk)
      receivedBytes += chunk.length
      if (receivedBytes > maxResponseBytes) return { outcome: 'lost', why: 'too large' }
    }
  } catch (error) {
    return { outcome: 'lost', why: reasonOf(error as Error) }
  }
  return { outcome: 'responded', status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'no DNS',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  HPE_HEADER_OVERFLOW: 'too large',
}

function reasonOf(error: NodeJS.ErrnoException): string {
  const { code = '' } = error
  return reasons[code] ?? (code.startsWith('HPE_') ? 'malformed' : code)
}
