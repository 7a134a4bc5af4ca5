import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Express, Request, Response } from 'express'
import type { Config } from '../../config.ts'
import type { Deps } from '../../deps.ts'
import { type Refusal, refuse } from '../../errors.ts'
import { throttled } from '../../process/log.ts'
import { inTime } from '../../process/timeout.ts'
import type { IsTrusted } from './client-address.ts'
import { type Connection, createConnection, type Reply } from './connection.ts'
import { connectionLimit } from './connection-limit.ts'
import { cutSlow } from './cut-slow.ts'
import { createGate } from './gate.ts'
import { createHangUp } from './hang-up.ts'
import { afterResponses, oneAtATime } from './in-order.ts'
import { createNetworkShares } from './network-share.ts'
import { handleParserFault, type ParserFault } from './parser-fault.ts'
import type { Timeouts } from './timeouts.ts'

/**
 * How long the clients on newly accepted connections may still take to send their requests after the listener has been
 * closed.
 */
const lastRequestsMs = 500
/**
 * How much longer than the wallet timeout a request may take: the 8 s that it may wait for MongoDB, plus one second for
 * the wallet call to end and a margin of 2 s.
 */
const beyondWalletMs = 11_000
/** The maximum combined size of the request line and headers, in bytes. */
export const maxHeaderBytes = 16_384
/**
 * How long a server that is shutting down waits for running requests. A payment or refund, which waits for both a
 * wallet and MongoDB, completes within this time. An endpoint test or the board's "Retry all" may take longer, and is
 * cut off. The limit is needed because Node.js no longer enforces its request timeouts after `close`.
 */
export const maxStopMs = ({ walletTimeoutMs }: Pick<Config, 'walletTimeoutMs'>): number =>
  walletTimeoutMs + beyondWalletMs

export interface HttpServer extends Server {
  /**
   * Stops accepting connections, waits up to `maxMs` for running requests, and then cuts off any requests that are
   * still running.
   */
  stop(maxMs: number): Promise<void>
}

/**
 * Creates the HTTP server. Responses that Node.js would normally write itself also have the envelope. Node.js would
 * write them after a malformed request, headers that are too large, a timeout, an unsupported `Expect` header or a
 * CONNECT request. Requests on the same connection are served one after another.
 */
export function createHttpServer(
  deps: Pick<Deps, 'config' | 'log' | 'metrics'>,
  app: Express,
  timeouts: Timeouts,
  maxConnections = connectionLimit(),
): HttpServer {
  const isTrusted: IsTrusted = app.get('trust proxy fn')
  const hangUp = createHangUp(deps, app, (address) => isTrusted(address, 0))
  const connections = new Map<Socket, Connection>()
  const gate = createGate()
  /** Calls `begin` once responses to all previous requests on the connection have been sent. */
  const queue = ({ socket }: IncomingMessage, res: Reply, begin: (connection: Connection) => void): void => {
    const connection = connections.get(socket)
    if (connection !== undefined) oneAtATime(connection, res, hangUp, () => gate.pass(() => begin(connection)))
  }
  const serve = (req: IncomingMessage, res: Reply): void =>
    queue(req, res, (connection) => {
      // Node.js drops the bytes that follow an Upgrade request, so the connection cannot be reused.
      if (req.headers.upgrade !== undefined) res.shouldKeepAlive = false
      // Express calls this function if the request line contains no path.
      const noPath = () => hangUp(connection, invalidPath())
      // Invalid request targets must not reach Express, because it would pass them to url.parse, which is deprecated
      // and prints a warning that quotes the URL.
      const isParsable = /^[/*]/.test(req.url ?? '') || URL.parse(req.url ?? '') !== null
      if (isParsable) void app(req as Request, res as Response, noPath)
      else noPath()
    })
  const server = createServer(
    {
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      keepAliveTimeout: timeouts.keepAliveMs,
      connectionsCheckingInterval: timeouts.checkEveryMs,
      maxHeaderSize: maxHeaderBytes,
      // Requests without a Host header are rejected in bare-app.ts instead, so that the error response has the
      // envelope.
      requireHostHeader: false,
    },
    serve,
  )
  server.maxConnections = maxConnections
  // `close` calls this method. The original method would cut off responses that the client has not fully read.
  server.closeIdleConnections = () => {
    for (const { socket, latest } of connections.values()) if (latest?.writableFinished) socket.destroy()
  }
  const warnFull = throttled(5000, (fields) => deps.log.warn(fields, 'web.full'))
  server.on('drop', () => warnFull({ connections: maxConnections }))
  const shares = createNetworkShares(maxConnections)
  const warnNetworkFull = throttled(5000, (fields) => deps.log.warn(fields, 'network.full'))
  server.on('connection', (socket: Socket) => {
    gate.noteConnection()
    const ip = socket.remoteAddress ?? ''
    // The limit for a single network does not apply to a proxy, because its connections carry requests from many
    // networks.
    const share = isTrusted(ip, 0) ? null : shares.take(ip)
    if (share?.outcome === 'closed') {
      warnNetworkFull({ network: share.network, connections: share.max })
      return void socket.destroy()
    }
    const connection = createConnection(socket)
    connections.set(socket, connection)
    socket.once('close', () => {
      connections.delete(socket)
      share?.free()
    })
    // Node.js removes its own error listener before it emits `connect`, and an unhandled error would end the process.
    socket.on('error', () => socket.destroy())
    // Node.js calls this method after a response that closes the connection. The socket is not destroyed here, because
    // that could reset the connection before the client has read the response.
    socket.destroySoon = () => {
      connection.endedAt ??= performance.now()
      socket.end()
    }
  })
  const checking = setInterval(() => {
    const at = performance.now()
    for (const connection of connections.values()) cutSlow(connection, hangUp, timeouts, at)
  }, timeouts.checkEveryMs).unref()
  server.once('close', () => clearInterval(checking))

  server.on('clientError', (error: ParserFault, socket) => {
    const connection = connections.get(socket as Socket)
    if (connection === undefined) socket.destroy()
    else handleParserFault(connection, hangUp, error)
  })
  // `100 Continue` is sent only once the caller is known and the body is needed (src/http/body/read-body.ts).
  server.on('checkContinue', serve)
  server.on('checkExpectation', serve)
  // CONNECT is not supported. Without an `upgrade` listener, Node.js ignores Upgrade headers, which RFC 9110, section
  // 7.8, allows servers to do.
  server.on('connect', ({ socket }: IncomingMessage) => {
    const connection = connections.get(socket)
    if (connection !== undefined) afterResponses(connection, () => hangUp(connection, refuse('ENDPOINT_NOT_FOUND')))
  })
  return Object.assign(server, {
    async stop(maxMs: number) {
      await gate.awaitQuiet()
      const closed = new Promise((resolve) => server.close(resolve))
      gate.open()
      await inTime(closed, lastRequestsMs)
      // Connections on which no request is running must not keep the process alive.
      for (const { socket, latest } of connections.values()) if (latest?.writableFinished ?? true) socket.destroy()
      const timer = setTimeout(() => server.closeAllConnections(), maxMs)
      await closed
      clearTimeout(timer)
    },
  })
}

const invalidPath = (): Refusal => refuse('VALIDATION_ERROR', { param: 'path', message: 'The path is not valid.' })
