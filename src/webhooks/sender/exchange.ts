import type { Dispatcher } from 'undici'
import { answerText, keptBytes, retryAfterSeconds } from './answer.ts'
import { type Connection, mayIdleFor } from './connection.ts'
import { codeOf, exchangeFault, type Fault, faults } from './faults.ts'

/** What comes after this much of an answer is not read (docs/webhooks.md). */
const mostReadBytes = 16 * 1024

/** Over at their last header, whatever length that tells (RFC 9112, 6.3). */
const bodiless: readonly number[] = [204, 304]

/** A receiver that sends more 1xx than this before its answer means harm. */
const mostInterimAnswers = 20

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

/** `whole`: read to its end, so that the connection may serve again. */
export type Exchange = { answer: ReceiverAnswer; whole: boolean } | { fault: Fault }

/**
 * Sends one request over `connection` and reads its answer until `deadline`. Whatever the receiver does is a value; only a
 * request that cannot be written, which is a fault of ours, rejects.
 */
export function exchange(
  connection: Connection,
  request: PostRequest,
  deadline: AbortSignal,
): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let read = 0
    let interim = 0
    let answer: ReceiverAnswer | null = null

    // The first to settle counts. Listeners need not leave the deadline: it ends with the attempt.
    const fail = (fault: Fault): void => resolve({ fault })
    const late = (): void => fail(faults.lateAnswer)
    const finish = (whole: boolean): void => {
      if (answer) resolve({ answer: { ...answer, answer: answerText(chunks) }, whole })
    }

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart() {},
      onResponseStart(_controller, status, headers) {
        if (status >= 200) {
          connection.mayIdleMs = mayIdleFor(headers['keep-alive'])
          answer = { status, answer: '', retryAfterSeconds: retryAfterSeconds(status, headers) }
        } else if (++interim > mostInterimAnswers) fail(faults.notHttp)
      },
      onResponseData(_controller, chunk) {
        if (read < keptBytes) chunks.push(chunk)
        read += chunk.length
        if (read > mostReadBytes) finish(false)
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
