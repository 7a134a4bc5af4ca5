import type { Dispatcher, Pool } from 'undici'

/** One HTTP request to the provider. */
export interface ProviderRequest {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  /** Null for a GET. */
  body: string | null
}

/** The provider's response, with any status and body. */
export interface ProviderResponse {
  outcome: 'responded'
  status: number
  body: string
}

/**
 * The result of a request. `never-sent`: no byte of it was sent, and none ever will be. `lost`: the provider may have
 * received all of it. `why` is a short reason for operators, without any content of the request or the response.
 */
export type Exchange =
  | ProviderResponse
  | { outcome: 'lost'; why: string }
  | { outcome: 'never-sent'; why: string }

/**
 * The share of its timeout that a request may wait for a connection. A request sent later than that would time out
 * while the provider carries it out, most often when the provider is overloaded.
 */
export const connectionWaitShare = 0.5

/** A genuine response has 100 to 200 bytes. */
const maxResponseBytes = 16 * 1024

/**
 * Sends one request once and reads its response, all within `timeoutMs`. The timeouts of the HTTP client are idle
 * timers, so a response that arrives byte by byte would never reach them.
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
      fail(why)
      sending?.abort(new Error(why))
    }
    const waiting = setTimeout(() => {
      if (sending === null) giveUp('no connection')
    }, timeoutMs * connectionWaitShare)
    const timer = setTimeout(() => giveUp('timeout'), timeoutMs)

    const handler: Dispatcher.DispatchHandler = {
      /** Called when a connection is ready, before the first byte is written. */
      onRequestStart(controller) {
        // Either the wait for a connection was too long, or a kept connection broke and the client sends the request
        // again.
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
 * Returns the reason for an error of the HTTP client. An unparsable response has a code of the HTTP parser or none. The
 * code of a certificate error names the problem.
 */
function reasonOf(error: Error): string {
  const code = 'code' in error ? String(error.code) : ''
  if (error.name === 'HTTPParserError' || code === '') return 'malformed'
  return reasons[code] ?? code
}
