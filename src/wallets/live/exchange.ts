import type { Dispatcher, Pool } from 'undici'

/** One request to the provider, as it is written. */
export interface ProviderRequest {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  /** Null for a question. */
  body: string | null
}

/** What came back, whatever it says. */
export interface ProviderResponse {
  outcome: 'answered'
  status: number
  body: string
}

/**
 * How far a request came. `never-sent`: not a byte of it left, nor ever will. `lost`: the provider may have all of it. `why` is a word
 * or two for whoever is on call; nothing that was sent or answered stands in it.
 */
export type Exchange =
  | ProviderResponse
  | { outcome: 'lost'; why: string }
  | { outcome: 'never-sent'; why: string }

/**
 * Of its time a request may wait so much for a connection. Sent later, it would be given up while the provider carries it out, and that
 * most often where the provider has too much to do already.
 */
export const connectionWaitShare = 0.5

/** An answer is a hundred bytes or two. */
const maxResponseBytes = 16 * 1024

/**
 * Sends one request, once, and reads its answer, all of it within `timeoutMs`: the HTTP client's own time-outs are idle timers, which
 * an answer that drips outwits.
 */
export function exchange(pool: Pool, request: ProviderRequest, timeoutMs: number): Promise<Exchange> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let sending: Dispatcher.DispatchController | null = null
    let isOver = false
    let read = 0
    let status = 0

    const end = (exchanged: Exchange): void => {
      isOver = true
      clearTimeout(waiting)
      clearTimeout(timer)
      resolve(exchanged)
    }
    const fail = (why: string): void => end({ outcome: sending === null ? 'never-sent' : 'lost', why })
    const giveUp = (why: string): void => {
      fail(why)
      sending?.abort(new Error(why))
    }
    const waiting = setTimeout(() => {
      if (sending === null) giveUp('no connection')
    }, timeoutMs * connectionWaitShare)
    const timer = setTimeout(() => giveUp('timeout'), timeoutMs)

    const handler: Dispatcher.DispatchHandler = {
      /** Called with a connection at hand, before the first byte is written. */
      onRequestStart(controller) {
        // It waited for a connection for too long, or the client would send it again, as it may when a kept connection breaks.
        if (isOver || sending !== null) return controller.abort(new Error('not twice'))
        sending = controller
      },
      onResponseStart(_controller, code) {
        status = code
      },
      onResponseData(_controller, chunk) {
        chunks.push(chunk)
        read += chunk.length
        if (read > maxResponseBytes) giveUp('too large')
      },
      onResponseEnd: () => end({ outcome: 'answered', status, body: Buffer.concat(chunks).toString() }),
      onResponseError: (_controller, error) => fail(wordFor(error)),
    }
    pool.dispatch(request, handler)
  })
}

const words: Record<string, string> = {
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

/** What the HTTP client cannot parse has a code of its parser's, or none; a certificate's says what is wrong with it. */
function wordFor(error: Error): string {
  const code = 'code' in error ? String(error.code) : ''
  if (error.name === 'HTTPParserError' || code === '') return 'malformed'
  return words[code] ?? code
}
