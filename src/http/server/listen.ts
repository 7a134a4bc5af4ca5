import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Express, Request, Response } from 'express'
import type { Config } from '../../config.ts'
import type { Deps } from '../../deps.ts'
import { type Refusal, refuse } from '../../errors.ts'
import { parseUrl } from '../../polyfills/parse-url.ts'
import { throttled } from '../../process/log.ts'
import { inTime } from '../../process/timeout.ts'
import { type Connection, createConnection, type Reply } from './connection.ts'
import { connectionLimit } from './connection-limit.ts'
import { cutSlow } from './cut-slow.ts'
import { createGate } from './gate.ts'
import { createHangUp } from './hang-up.ts'
import { afterResponses, oneAtATime } from './in-order.ts'
import { createNetworkShares } from './network-share.ts'
import { handleParserFault } from './parser-fault.ts'
import type { Timeouts } from './timeouts.ts'

/** Once the listener is closed, how long newly accepted connections may take to send their request. */
const lastRequestsMs = 500
/** The 8 s that a request may wait on MongoDB, a second for the call of a wallet to end, and 2 s to spare. */
const beyondWalletMs = 11_000
/** For the request line with its URL and all headers together; in bytes. */
export const maxHeaderBytes = 16_384
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
 * An HTTP server for the app on which also the answers that Node would write by itself stand in the envelope: malformed requests, header
 * overflow, time-outs, `Expect` and CONNECT. The requests of a connection are served one after the other.
 */
export function createHttpServer(
  deps: Pick<Deps, 'config' | 'log' | 'metrics'>,
  app: Express,
  timeouts: Timeouts,
): HttpServer {
  const isTrusted: (address: string, hop: number) => boolean = app.get('trust proxy fn')
  const hangUp = createHangUp(deps, (address) => isTrusted(address, 0))
  const connections = new Map<Socket, Connection>()
  /** Queues a request that was read, or what is to be said in its place. */
  const gate = createGate()
  const queue = ({ socket }: IncomingMessage, res: Reply, begin: (connection: Connection) => void): void => {
    const connection = connections.get(socket)
    if (connection !== undefined)
      oneAtATime(connection, res, hangUp, () => gate.pass(() => begin(connection)))
  }
  const serve = (req: IncomingMessage, res: Reply): void =>
    queue(req, res, (connection) => {
      // Node drops what came at one go with it.
      if (req.headers.upgrade !== undefined) res.shouldKeepAlive = false
      // Express calls back when it cannot even find a path in the request line.
      const noPath = () => hangUp(connection, pathless())
      // Express would hand it to url.parse, which is deprecated for such a target and says so with the URL.
      const isParsable = /^[/*]/.test(req.url ?? '') || parseUrl(req.url ?? '') !== null
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
      // bare-app.ts refuses a request without Host, in the envelope.
      requireHostHeader: false,
    },
    serve,
  )
  const most = connectionLimit()
  server.maxConnections = most
  // `close` calls this. Node's own version cuts responses that the client has not fully read.
  server.closeIdleConnections = () => {
    for (const { socket, latest } of connections.values()) if (latest?.writableFinished) socket.destroy()
  }
  const warn = throttled(5000, (fields) => deps.log.warn(fields, 'web.full'))
  server.on('drop', () => warn({ connections: most }))
  const shares = createNetworkShares(most)
  const warnOfNetwork = throttled(5000, (fields) => deps.log.warn(fields, 'network.full'))
  server.on('connection', (socket: Socket) => {
    gate.noteConnection()
    const ip = socket.remoteAddress ?? ''
    // A proxy holds the connections of many networks.
    const share = isTrusted(ip, 0) ? null : shares.take(ip)
    if (share?.outcome === 'closed') {
      warnOfNetwork({ network: share.network, connections: share.most })
      return void socket.destroy()
    }
    const connection = createConnection(socket)
    connections.set(socket, connection)
    socket.once('close', () => {
      connections.delete(socket)
      share?.free()
    })
    // Node stops listening before it tells of a CONNECT, and an error that nobody hears ends the process.
    socket.on('error', () => socket.destroy())
    // Node asks for this after an answer that ends the connection. To destroy it would reset what is still coming, and with it the answer.
    socket.destroySoon = () => {
      connection.endedAt ??= performance.now()
      socket.end()
    }
  })
  const looking = setInterval(() => {
    const at = performance.now()
    for (const connection of connections.values()) cutSlow(connection, hangUp, timeouts, at)
  }, timeouts.checkEveryMs).unref()
  server.once('close', () => clearInterval(looking))

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const connection = connections.get(socket as Socket)
    if (connection === undefined) socket.destroy()
    else handleParserFault(connection, hangUp, error.code)
  })
  // `100 Continue` is written when the body is wanted (body.ts), not before the caller is known.
  server.on('checkContinue', serve)
  server.on('checkExpectation', (req: IncomingMessage, res: Reply) =>
    queue(req, res, (connection) => hangUp(connection, unmet())),
  )
  // An `Upgrade` header without a listener for it is ignored, as HTTP says; CONNECT is no route of ours.
  server.on('connect', ({ socket }: IncomingMessage) => {
    const connection = connections.get(socket)
    if (connection !== undefined)
      afterResponses(connection, () => hangUp(connection, refuse('ENDPOINT_NOT_FOUND')))
  })
  return Object.assign(server, {
    async stop(longestMs: number) {
      await gate.untilQuiet()
      const closed = new Promise((resolve) => server.close(resolve))
      gate.open()
      await inTime(closed, lastRequestsMs)
      // A connection that asks for nothing, or never finishes asking, must not keep the process alive.
      for (const { socket, latest } of connections.values())
        if (latest?.writableFinished ?? true) socket.destroy()
      const timer = setTimeout(() => server.closeAllConnections(), longestMs)
      await closed
      clearTimeout(timer)
    },
  })
}

const pathless = (): Refusal =>
  refuse('VALIDATION_ERROR', { param: 'path', message: 'The path is not valid.' })

const unmet = (): Refusal =>
  refuse('VALIDATION_ERROR', {
    param: 'Expect',
    message: 'The service does not support this Expect header. Send 100-continue, or no Expect header.',
  })
