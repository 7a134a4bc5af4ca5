import cluster from 'node:cluster'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { setImmediate as nextIteration, setTimeout as wait } from 'node:timers/promises'
import type { Express, Request, Response } from 'express'
import type { Config } from '../../config/config.ts'
import type { Deps } from '../../platform/deps.ts'
import { type Refusal, refuse } from '../../platform/errors.ts'
import { throttleLog } from '../../platform/log.ts'
import { succeedsWithin } from '../../platform/timeout.ts'
import type { IsTrustedProxy } from './bare-app.ts'
import * as client from './connection.ts'
import { createNetworkShares, limitToOpenFiles } from './network-share.ts'
import type { HttpTimeouts } from './timeouts.ts'

/** How long new connections have to send a request during a shutdown. */
const lastRequestsMs = 500
/** Includes 8 s for MongoDB and 1 s to end the wallet request. */
const beyondWalletMs = 11_000
/** A connection then closes, so that clients also connect to new processes. */
const maxRequests = 1_000
const quietChecks = 10
const checkEveryMs = 10
/** Requests aren't held longer, even if clients keep opening connections. */
const maxHoldMs = 1000
/** The limit includes the request line. */
export const maxHeaderBytes = 16_384
/** Payments and refunds finish by then, but endpoint tests may be cut off. */
export const maxStopMs = ({ walletTimeoutMs }: Pick<Config, 'walletTimeoutMs'>): number =>
  walletTimeoutMs + beyondWalletMs

/** Connections that the primary passes on would hang with a killed child. */
const isBalancedByKernel = cluster.isWorker && process.platform === 'linux'

export type HttpServer = ReturnType<typeof createHttpServer>

export function createHttpServer(
  deps: Pick<Deps, 'config' | 'log' | 'metrics'>,
  app: Express,
  timeouts: HttpTimeouts,
  maxConnections = limitToOpenFiles(undefined, deps.config.webConcurrency),
) {
  const isTrusted: IsTrustedProxy = app.get('trust proxy fn')
  const connections = new Map<Socket, client.ClientConnection>()
  let held: (() => void)[] | null = null
  const serve = (req: IncomingMessage, res: client.TrackedResponse): void => {
    const connection = connections.get(req.socket)
    if (connection === undefined || !client.acceptRequest(connection, res)) return
    // Node.js drops the bytes after an Upgrade request.
    if (req.headers.upgrade !== undefined) res.shouldKeepAlive = false
    if (held === null) run(app, req, res)
    else held.push(() => run(app, req, res))
  }
  const server = createServer(
    {
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      keepAliveTimeout: timeouts.keepAliveMs,
      connectionsCheckingInterval: timeouts.checkEveryMs,
      maxHeaderSize: maxHeaderBytes,
      // bare-app.ts checks the Host header.
      requireHostHeader: false,
    },
    serve,
  )
  server.maxConnections = maxConnections
  server.maxRequestsPerSocket = maxRequests
  // Node.js would send a 503, but only a broken client gets this far.
  server.on('dropRequest', ({ socket }) => socket.destroy())
  const warnFull = throttleLog(5000, (fields) => deps.log.warn(fields, 'web.full'))
  server.on('drop', () => warnFull({ connections: maxConnections }))
  const shares = createNetworkShares(maxConnections)
  const warnNetworkFull = throttleLog(5000, (fields) => deps.log.warn(fields, 'network.full'))
  server.on('connection', (socket: Socket) => {
    const ip = socket.remoteAddress ?? ''
    const share = isTrusted(ip, 0) ? null : shares.take(ip)
    if (share?.outcome === 'closed') {
      warnNetworkFull({ network: share.network, connections: share.max })
      return void socket.destroy()
    }
    const connection = client.trackConnection(app, socket)
    connections.set(socket, connection)
    socket.once('close', () => {
      connections.delete(socket)
      share?.free()
      // After CONNECT, Node.js closes only the first of several responses.
      for (const reply of connection.due)
        if (reply.socket === null) reply.assignSocket(new PassThrough().destroy() as unknown as Socket)
    })
    // Node.js removes its own listener before it emits `connect`.
    socket.on('error', () => socket.destroy())
  })
  const checking = setInterval(() => {
    const at = performance.now()
    for (const connection of connections.values()) client.cutSlowClient(connection, timeouts, at)
  }, timeouts.checkEveryMs).unref()
  server.once('close', () => clearInterval(checking))

  const refuseNext = (socket: Socket, refusal: Refusal, url?: string): void => {
    const connection = connections.get(socket)
    if (connection !== undefined) client.closeWithRefusal(connection, refusal, url)
  }
  server.on('clientError', (error: client.ParserError, socket) =>
    refuseNext(socket as Socket, client.parserRefusal(error), client.findRequestUrl(error)),
  )
  // readBody sends `100 Continue` once it needs the body.
  server.on('checkContinue', serve)
  server.on('checkExpectation', serve)
  // Without an `upgrade` listener, Node.js ignores Upgrade headers.
  server.on('connect', ({ socket }) => refuseNext(socket, refuse('ENDPOINT_NOT_FOUND')))

  const closeIdle = (isIdle: (connection: client.ClientConnection) => boolean): void => {
    for (const connection of connections.values())
      if (connection.due.length === 0 && isIdle(connection)) connection.socket.destroy()
  }
  return {
    server,
    async listen(port: number): Promise<void> {
      server.listen({ port, reusePort: isBalancedByKernel })
      await once(server, 'listening')
    },
    async stop(maxMs: number): Promise<void> {
      held = []
      await acceptWaiting(server)
      // The HTTP server's own `close` would cut off unfinished responses.
      const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve))
      closeIdle(({ latest }) => latest !== null)
      const released = held
      held = null
      for (const begin of released) begin()
      await succeedsWithin(closed, lastRequestsMs)
      closeIdle(() => true)
      const timer = setTimeout(() => server.closeAllConnections(), maxMs)
      await closed
      clearTimeout(timer)
    },
  }
}

function run(app: Express, req: IncomingMessage, res: client.TrackedResponse): void {
  const refuseTarget = (): void => {
    req.url = client.unknownRequestUrl
    res.locals = {
      refusal: refuse('VALIDATION_ERROR', {
        param: 'path',
        message: 'The path is not valid.',
        headers: { Connection: 'close' },
      }),
    }
    void app(req as Request, res as Response)
  }
  // For an invalid target, url.parse prints a warning that quotes the URL.
  const isParsable = /^[/*]/.test(req.url ?? '') || URL.parse(req.url ?? '') !== null
  // Express calls the last argument if the request line contains no path.
  if (isParsable) void app(req as Request, res as Response, refuseTarget)
  else refuseTarget()
}

/** Closing the listener would reset connections that aren't accepted yet. */
async function acceptWaiting(server: Server): Promise<void> {
  let accepted = 0
  const count = (): void => void (accepted += 1)
  server.on('connection', count)
  const giveUpAt = performance.now() + maxHoldMs
  for (let quiet = 0; quiet < quietChecks && performance.now() < giveUpAt; ) {
    const before = accepted
    await wait(checkEveryMs)
    // The event loop accepts all waiting connections before its next iteration.
    await nextIteration()
    quiet = accepted === before ? quiet + 1 : 0
  }
  server.off('connection', count)
}
