import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { TLSSocket } from 'node:tls'
import { withTimeout } from '../../platform/timeout.ts'

/** One HTTP request to the provider. */
export interface ProviderRequest {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  /** The request body, or null for a GET. */
  body: string | null
}

/** A complete response from the provider, with any status and body. */
export interface ProviderResponse {
  outcome: 'responded'
  status: number
  body: string
}

/**
 * The result of a request. `never-sent` means that no byte of the request was sent and none ever will be. `lost` means
 * that the provider may have received the complete request. `why` is a short explanation for operators, which contains
 * nothing from the request or the response.
 */
export type Exchange = ProviderResponse | { outcome: 'lost'; why: string } | { outcome: 'never-sent'; why: string }

/**
 * A request may wait for a connection for at most this fraction of its timeout. If a request were sent any later, it
 * would probably time out while the provider is still carrying out the order, especially when the provider is
 * overloaded.
 */
export const connectionWaitShare = 0.5

/** The maximum size of a response. A genuine response is only 100 to 200 bytes long. */
const maxResponseBytes = 16 * 1024

/** Sends a request that `start` begins exactly once, and reads the response, all within `timeoutMs`. */
export async function exchange(
  start: (options: RequestOptions) => ClientRequest,
  { body, ...options }: ProviderRequest,
  timeoutMs: number,
): Promise<Exchange> {
  const startedAt = performance.now()
  const request = start(options)
  const fault = new Promise<string>((resolve) => request.on('error', (error) => resolve(reasonOf(error))))
  const connecting = Promise.race([connected(request), fault])
  const unconnected = await withTimeout(connecting, timeoutMs * connectionWaitShare, () => 'no connection')
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

/** Resolves to null once `request` has a connection. Until then, nothing is sent. */
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

/** Returns the reason for an error. If the certificate was rejected, the code itself describes the problem. */
function reasonOf(error: NodeJS.ErrnoException): string {
  const { code = '' } = error
  return reasons[code] ?? (code.startsWith('HPE_') ? 'malformed' : code)
}
