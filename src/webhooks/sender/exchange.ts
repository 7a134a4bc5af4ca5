import type { Dispatcher } from 'undici'
import { type Connection, mayIdleFor } from './connection.ts'
import { codeOf, exchangeFault, type Fault, faults } from './faults.ts'
import { answerText, keptBytes, retryAfterSeconds } from './response.ts'

/** The rest of a longer response is not read (docs/merchants/webhooks.md). */
const maxReadBytes = 16 * 1024
/** Each chunk costs, however small it is. */
const maxReadChunks = 256

/** Responses that end with their headers, whatever `Content-Length` they have (RFC 9112, 6.3). */
const bodiless: readonly number[] = [204, 304]

/** An endpoint that sends more 1xx responses than this is hostile. */
const maxInterimResponses = 5

export interface PostRequest {
  path: string
  headers: Record<string, string>
  body: string
}

export interface ReceiverAnswer {
  status: number
  answer: string
  retryAfterSeconds: number | null
}

/** `whole`: the response was read to its end, so the connection can be reused. */
export type Exchange = { answer: ReceiverAnswer; whole: boolean } | { fault: Fault }

/**
 * Sends one request over `connection` and reads the response until `deadline`. Whatever the endpoint does is a value. Rejects
 * only if the request cannot be written, which is a bug of ours.
 */
export function exchange(
  connection: Connection,
  request: PostRequest,
  deadline: AbortSignal,
): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let read = 0
    let chunksRead = 0
    let interim = 0
    let answer: ReceiverAnswer | null = null

    // Only the first result counts. The listener stays on `deadline`, because that ends with the attempt.
    const fail = (fault: Fault): void => resolve({ fault })
    const late = (): void => fail(faults.lateAnswer)
    const finish = (whole: boolean): void => {
      if (answer) resolve({ answer: { ...answer, answer: answerText(chunks) }, whole })
    }
    // Stops the parser at once: the bytes that have arrived already may hold thousands of chunks or headers more.
    const stop = (): void => void connection.socket.destroy()

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart() {},
      onResponseStart(_controller, status, headers) {
        if (status >= 200) {
          connection.mayIdleMs = mayIdleFor(headers['keep-alive'])
          answer = { status, answer: '', retryAfterSeconds: retryAfterSeconds(status, headers) }
        } else if (++interim > maxInterimResponses) {
          fail(faults.notHttp)
          stop()
        }
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
        if (answer !== null && bodiless.includes(answer.status)) finish(false)
        fail(exchangeFault(error))
      },
    }
    if (deadline.aborted) return late()
    deadline.addEventListener('abort', late)
    connection.client.dispatch({ ...request, method: 'POST' }, handler)
  })
}
