import type { Dispatcher } from 'undici'
import { type Connection, mayIdleFor } from './connection.ts'
import { codeOf, exchangeFault, type Fault, faults } from './faults.ts'
import { keptBytes, responseTextOf } from './response.ts'

/** The maximum number of bytes that are read from a response body (docs/merchants/webhooks.md). */
const maxReadBytes = 16 * 1024
/**
 * The maximum number of chunks that are read from a response body, because each chunk takes time to process, however
 * small it is.
 */
const maxReadChunks = 256

/** The status codes of responses that have no body, whatever their `Content-Length` header says (RFC 9112, 6.3). */
const bodiless: readonly number[] = [204, 304]

export interface PostRequest {
  path: string
  headers: Record<string, string>
  body: string
}

export interface EndpointResponse {
  status: number
  responseText: string
}

/** `isComplete` means that the response was read to its end, so the connection can be reused. */
export type Exchange = { response: EndpointResponse; isComplete: boolean } | { fault: Fault }

/**
 * Sends one request over `connection`, and reads the response until it ends or the deadline is reached. Whatever the
 * endpoint does, the promise resolves. It rejects only if the request itself is invalid, which would be a bug in this
 * service.
 */
export function exchange(connection: Connection, request: PostRequest, deadline: AbortSignal): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let read = 0
    let chunksRead = 0
    let response: EndpointResponse | null = null

    // Only the first call to `resolve` has an effect, so further events do no harm. The listener need not be removed
    // from `deadline`, because `deadline` is used only for this attempt.
    const fail = (fault: Fault): void => resolve({ fault })
    const late = (): void => fail(faults.lateResponse)
    const finish = (isComplete: boolean): void => {
      if (response) resolve({ response: { ...response, responseText: responseTextOf(chunks) }, isComplete })
    }
    // Destroying the socket stops the parser immediately. This is necessary because the bytes that have already arrived
    // may contain thousands of chunks or headers.
    const stop = (): void => void connection.socket.destroy()

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart() {},
      onResponseStart(_controller, status, headers) {
        connection.mayIdleMs = mayIdleFor(headers['keep-alive'])
        response = { status, responseText: '' }
        if (status >= 200) return
        fail(faults.notHttp)
        stop()
      },
      onResponseData(_controller, chunk) {
        if (read < keptBytes) chunks.push(chunk)
        read += chunk.length
        chunksRead += 1
        if (read <= maxReadBytes && chunksRead <= maxReadChunks) return
        finish(false)
        stop()
      },
      onResponseEnd: () => finish(true),
      onResponseError(_controller, error) {
        if (codeOf(error) === 'UND_ERR_INVALID_ARG') reject(error)
        if (response !== null && bodiless.includes(response.status)) finish(false)
        fail(exchangeFault(error, connection.socket.readableEnded))
      },
    }
    if (deadline.aborted) return late()
    deadline.addEventListener('abort', late)
    connection.client.dispatch({ ...request, method: 'POST' }, handler)
  })
}
