import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { Express, Request, Response } from 'express'
import type { Config } from '../config.ts'
import { type Refusal, refuse } from '../errors.ts'
import type { Log } from '../log.ts'
import { parseUrl } from '../parse-url.ts'
import { failure } from './answer.ts'

/** How long connections that were just accepted may take to say what they want, once nobody new is let in. */
const lastRequestsMs = 500
/** The 8 s that a request may wait on MongoDB, a second for the call of a wallet to end, and 2 s to spare. */
const beyondWalletMs = 11_000

/**
 * How long a server that stops waits for answers: as long as a payment or a refund may take, which wait on a wallet and on MongoDB. A test of
 * an endpoint and Retry all of the board may take longer, and are cut. Node looks at late requests no more once the server is closed.
 */
export const longestStopMs = ({ walletTimeoutMs }: Pick<Config, 'walletTimeoutMs'>): number =>
  walletTimeoutMs + beyondWalletMs

/** A server that can be stopped in bounded time without cutting a request that ends within it. */
export interface HttpServer extends Server {
  stop(longestMs: number): Promise<void>
}

/**
 * An HTTP server for the app on which also the answers that Node would write by itself stand in the envelope:
 * malformed requests, header overflow, time-outs, `Expect` and CONNECT.
 */
export function createHttpServer(app: Express, log: Log): HttpServer {
  const hangUp = (socket: Duplex, refusal: Refusal): void => endWith(log, socket, refusal)
  /** The answer to the last request of each connection. */
  const latest = new WeakMap<Duplex, ServerResponse>()
  const handle = (req: IncomingMessage, res: ServerResponse): void => {
    latest.set(req.socket, res)
    // Express calls back when it cannot even find a path in the request line.
    const noPath = () =>
      hangUp(req.socket, refuse('VALIDATION_ERROR', { param: 'path', message: 'The path is not valid.' }))
    // Express would hand it to url.parse, which is deprecated for such a target and says so with the URL.
    const isParsable = /^[/*]/.test(req.url ?? '') || parseUrl(req.url ?? '') !== null
    if (isParsable) void app(req as Request, res as Response, noPath)
    else noPath()
  }
  const server = createServer(
    {
      headersTimeout: 15_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 65_000,
      // Node looks for late requests only this often.
      connectionsCheckingInterval: 1000,
      maxHeaderSize: 16_384,
      // app.ts refuses a request without Host, in the envelope.
      requireHostHeader: false,
    },
    handle,
  )
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const last = latest.get(socket)
    // The noise came after a whole request, which is being done: its answer must not be a 4xx.
    if (last?.req.complete === true && !last.writableFinished) last.shouldKeepAlive = false
    // It was answered without its body, which never came.
    else if (last?.req.complete === false && last.writableEnded) socket.destroy()
    else if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
    else hangUp(socket, parserRefusal(error.code))
  })
  // `100 Continue` is written when the body is wanted (body.ts), not before the caller is known.
  server.on('checkContinue', handle)
  server.on('checkExpectation', (_req: IncomingMessage, res: ServerResponse) => {
    if (res.socket !== null)
      hangUp(
        res.socket,
        refuse('VALIDATION_ERROR', { param: 'Expect', message: 'This expectation cannot be met.' }),
      )
  })
  // An `Upgrade` header without a listener for it is ignored, as HTTP says; CONNECT is no route of ours.
  server.on('connect', (_req: IncomingMessage, socket: Duplex) =>
    hangUp(socket, refuse('ENDPOINT_NOT_FOUND')),
  )
  return Object.assign(server, {
    async stop(longestMs: number) {
      const closed = new Promise((resolve) => server.close(resolve))
      await Promise.race([closed, wait(lastRequestsMs)])
      // A connection that asks for nothing, or never finishes asking, must not keep the process alive.
      for (const socket of sockets) if (latest.get(socket)?.writableFinished ?? true) socket.destroy()
      const timer = setTimeout(() => server.closeAllConnections(), longestMs)
      await closed
      clearTimeout(timer)
    },
  })
}

function parserRefusal(code: string | undefined): Refusal {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return refuse('REQUEST_TIMEOUT')
  if (code === 'HPE_HEADER_OVERFLOW') return refuse('HEADERS_TOO_LARGE')
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return refuse('PAYLOAD_TOO_LARGE')
  return refuse('VALIDATION_ERROR', { message: 'This is not a valid HTTP request.' })
}

/** Writes the envelope on a connection that has no request to answer, and closes it. Logged like any request. */
function endWith(log: Log, socket: Duplex, refusal: Refusal): void {
  const requestId = randomUUID()
  const { status, body } = failure(refusal, requestId)
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
    '',
    body,
  ]
  const ip = socket instanceof Socket ? socket.remoteAddress : undefined
  log.info({ requestId, method: null, route: null, status, code: refusal.code, ip }, 'http.request')
  socket.on('error', () => socket.destroy())
  socket.end(lines.join('\r\n'))
}
