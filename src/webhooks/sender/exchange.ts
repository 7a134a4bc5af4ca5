import http, { type IncomingMessage } from 'node:http'
import { StringDecoder } from 'node:string_decoder'
import type { Meter } from '../../limits/rate.ts'
import { type Connection, mayIdleFor } from './connections.ts'
import { exchangeFault, type Fault, faults } from './faults.ts'

/** Also stated in docs/merchants/webhooks.md. */
const maxReadBytes = 16 * 1024
/** Each chunk takes time to process, however small it is. */
const maxReadChunks = 256
/** How much is stored for the merchant: enough for an error message, too little to fill a database. */
export const keptBytes = 1024

export interface PostRequest {
  path: string
  headers: Record<string, string>
  body: string
}

export type Exchange =
  | { response: { status: number; responseText: string }; isReusable: boolean }
  | { fault: Fault }

/**
 * Sends one request and reads the response until it ends or `deadline` aborts. Whatever the endpoint does, the promise
 * resolves; it rejects only if the request itself is invalid, which would be our bug.
 */
export function exchange(
  connection: Connection,
  meter: Meter,
  { path, headers, body }: PostRequest,
  deadline: AbortSignal,
): Promise<Exchange> {
  return new Promise((resolve) => {
    // Only the first call to `resolve` has an effect, so later events do no harm.
    const fail = (fault: Fault): void => resolve({ fault })
    const late = (): void => fail(faults.lateResponse)
    if (deadline.aborted) return late()
    deadline.addEventListener('abort', late)
    const { gauge, socket } = connection
    if (socket.destroyed) return fail(faults.closed)
    const request = http.request({
      createConnection: () => socket,
      method: 'POST',
      // Without an agent, Node would close the connection after the response.
      headers: { Connection: 'keep-alive', ...headers },
    })
    // If `path` were an option, Node would copy all options once more, which takes 3 µs.
    request.path = path
    let received: IncomingMessage | null = null
    const notHttp = (): void => {
      fail(faults.notHttp)
      socket.destroy()
    }
    request.on('upgrade', notHttp)
    // If the response is already complete, the error is only about what follows it.
    request.on('error', (error) => received?.complete || fail(exchangeFault(error)))
    request.on('response', (response) => {
      const { statusCode: status = 0 } = response
      if (status < 200) return notHttp()
      received = response
      connection.mayIdleMs = mayIdleFor(response.headers['keep-alive'])
      const chunks: Buffer[] = []
      let read = 0
      let chunksRead = 0
      const finish = (isReusable: boolean): void =>
        resolve({ response: { status, responseText: responseTextOf(chunks) }, isReusable })
      response.on('data', (chunk: Buffer) => {
        if (read < keptBytes) chunks.push(chunk)
        read += chunk.length
        chunksRead += 1
        if (read <= maxReadBytes && chunksRead <= maxReadChunks) return
        finish(false)
        response.pause()
        socket.destroy()
      })
      response.on('end', () => {
        gauge.end()
        deadline.removeEventListener('abort', late)
        // Many servers close the connection right after a response without announcing it. We notice that, and that the
        // whole request was sent, only in the next iteration of the event loop.
        setImmediate(() => finish(request.writableFinished && socket.writable))
      })
      response.on('error', (error) => fail(exchangeFault(error)))
    })
    gauge.begin('response', meter)
    request.end(body)
  })
}

/** Control characters except tabs and line endings. Some databases reject NUL, and ESC can control terminals. */
// oxlint-disable-next-line no-control-regex -- the expression matches control characters
const harmful = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g

/** Returns the first KiB as valid UTF-8 that never ends with half a character. Harmful characters become U+FFFD. */
function responseTextOf(chunks: readonly Buffer[]): string {
  if (chunks.length === 0) return ''
  const kept = Buffer.concat(chunks).subarray(0, keptBytes)
  return new StringDecoder('utf8').write(kept).replace(harmful, '\ufffd')
}
