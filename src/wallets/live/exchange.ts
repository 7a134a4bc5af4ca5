import type { Dispatcher, Pool } from 'undici'

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

/**
 * Sends a request exactly once and reads the response, all within `timeoutMs`. The HTTP client's own timeouts only
 * limit idle time, so a response that arrives byte by byte would never trigger them.
 */
export function exchange(pool: Pool, request: ProviderRequest, timeoutMs: number): Promise<Exchange> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let sending: Dispatcher.DispatchController | null = null
    let isSettled = false
    let receivedBytes = 0
    let status = 0

    const settle = (exchanged: Exchange): void => {
      isSettled = true
      clearTimeout(waiting)
      clearTimeout(timer)
      resolve(exchanged)
    }
    const fail = (why: string): void => settle({ outcome: sending === null ? 'never-sent' : 'lost', why })
    const giveUp = (why: string): void => {
      if (isSettled) return
      fail(why)
      sending?.abort(new Error(why))
    }
    const waiting = setTimeout(() => {
      if (sending === null) giveUp('no connection')
    }, timeoutMs * connectionWaitShare)
    // A response that arrived while the event loop was blocked is read first.
    const timer = setTimeout(() => setImmediate(giveUp, 'timeout'), timeoutMs)

    const handler: Dispatcher.DispatchHandler = {
      /** Called when a connection is ready, before the first byte is written. */
      onRequestStart(controller) {
        // The request must not be sent if the wait for a connection took too long. Without this check, the client would
        // also send a request a second time after a kept-alive connection breaks.
        if (isSettled || sending !== null) return controller.abort(new Error('not twice'))
        sending = controller
      },
      onResponseStart(_controller, code) {
        status = code
      },
      onResponseData(_controller, chunk) {
        chunks.push(chunk)
        receivedBytes += chunk.length
        if (receivedBytes > maxResponseBytes) giveUp('too large')
      },
      onResponseEnd: () => settle({ outcome: 'responded', status, body: Buffer.concat(chunks).toString() }),
      onResponseError: (_controller, error) => fail(reasonOf(error)),
    }
    pool.dispatch(request, handler)
  })
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'no DNS',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  UND_ERR_SOCKET: 'reset',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'too large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'reset',
}

/**
 * Returns the reason for an error from the HTTP client. If the response could not be parsed, the error has either a
 * code from the HTTP parser or no code. If the certificate was rejected, the code itself describes the problem.
 */
function reasonOf(error: Error): string {
  const code = 'code' in error ? String(error.code) : ''
  if (error.name === 'HTTPParserError' || code === '') return 'malformed'
  return reasons[code] ?? code
}
