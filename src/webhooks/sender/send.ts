import { constants } from 'node:crypto'
import http, { type IncomingMessage } from 'node:http'
import { StringDecoder } from 'node:string_decoder'
import tls from 'node:tls'
import { judgeWebhookUrl, portOfUrl } from '../../input/webhook-url.ts'
import { createTimeMeters, type TimeMeter, timeMeterLimits } from '../../limits/rate.ts'
import { type IpRange, isIpWithin } from '../../platform/network.ts'
import { createWorkTracker } from '../../platform/running-work.ts'
import { coalesceRuns } from '../../platform/share-runs.ts'
import { withTimeout } from '../../platform/timeout.ts'
import type { AttemptRecord } from '../deliveries/delivery.ts'
import { createConnectionPool, type HttpConnection, maxIdleMsFor } from './connections.ts'
import { type Failure, type SendFault, sendFaults, toExchangeFault } from './faults.ts'
import { openSocket, type SocketTarget, type WebhookProxy } from './open-socket.ts'
import { chooseResolver, type ResolveHost } from './resolve.ts'

/** The stage is `status` if the response wasn't a 2xx. */
export type SentAttempt = Omit<AttemptRecord, 'at' | 'url'>

interface SendRequest {
  /** A business id. */
  owner: string
  url: string
  headers: Record<string, string>
  body: string
  onStart?: (abort: () => void) => void
}

export interface SenderOptions {
  /** Covers an attempt from the DNS query to the end of the response. */
  timeoutMs: number
  /** Entries are `host:port`. Their addresses may be private. */
  allowedHosts: ReadonlySet<string>
  /** These addresses are refused even for an allowed host. */
  blockedRanges: readonly IpRange[]
  /** If null, attempts connect directly. */
  proxy: Omit<WebhookProxy, 'lookUp'> | null
  maxSockets: number
  /** Common firewalls refuse requests that have no `User-Agent`. */
  userAgent: string
  resolve?: ResolveHost
  /** Tests trust this authority (PEM) instead of the public ones. */
  ca?: string
}

/** A dead name server must not occupy all threads. */
function shareLookUp(proxy: Omit<WebhookProxy, 'lookUp'>): WebhookProxy {
  return { ...proxy, lookUp: coalesceRuns(() => chooseResolver(true)(proxy.hostname)) }
}

export type Sender = ReturnType<typeof createSender>

/** Ignores environment variables for proxies and TLS. */
export function createSender(options: SenderOptions) {
  const { timeoutMs, allowedHosts, blockedRanges, maxSockets, userAgent, resolve, ca } = options
  const proxy = options.proxy && shareLookUp(options.proxy)
  // Connections share one context, because loading CA certificates is slow.
  // Renegotiation is off, as its certificates could be as large as a response.
  const secureOptions = constants.SSL_OP_NO_RENEGOTIATION
  const trust = tls.createSecureContext({ minVersion: 'TLSv1.2', ca, secureOptions })
  const connections = createConnectionPool(maxSockets)
  const meterOf = createTimeMeters(timeMeterLimits.endpoints, () => performance.now())
  const isBlocked = (address: string): boolean => isIpWithin(blockedRanges, address)
  const running = createWorkTracker()
  let isClosed = false

  /** Never repeats a request, because the endpoint may have read it. */
  async function post(target: SocketTarget, owner: string, request: PostRequest, deadline: AbortSignal) {
    const meter = meterOf(owner)
    const route = { resolve: resolve ?? chooseResolver(target.allowed), isBlocked, trust, proxy }
    const open = () => openSocket(route, target, meter, deadline)
    const connection = connections.take(target.origin) ?? (await connections.open(target.origin, open))
    if ('fault' in connection) return connection
    let isReusable = false
    try {
      const done = await sendHttpRequest(connection, meter, request, deadline)
      isReusable = 'response' in done && done.isReusable
      return done
    } finally {
      if (isReusable) connections.giveBack(connection)
      else connections.drop(connection)
    }
  }

  async function attempt({ owner, url, headers, body, onStart }: SendRequest): Promise<SentAttempt> {
    const startedAt = performance.now()
    const failedWith = (fault: SendFault) => ({
      durationMs: elapsedMs(),
      status: null,
      responseText: null,
      ...fault,
    })
    const elapsedMs = (): number => Math.round(performance.now() - startedAt)
    const judged = judgeWebhookUrl(url, allowedHosts)
    if ('fault' in judged) return failedWith({ stage: 'address', error: judged.fault })
    const deadline = new AbortController()
    const abort = (): void => deadline.abort()
    onStart?.(abort)
    const { host, hostname, origin, pathname, protocol, search } = judged.url
    const target = {
      origin,
      hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: portOfUrl(judged.url),
      secure: protocol === 'https:',
      allowed: judged.allowed,
    }
    const all = { Host: host, 'User-Agent': userAgent, Accept: '*/*', ...headers }
    const request = { path: pathname + search, headers: all, body }
    const posting = post(target, owner, request, deadline.signal)
    await withTimeout(posting, timeoutMs, abort)
    const done = await posting
    if ('fault' in done) return failedWith(done.fault)
    const { status } = done.response
    const stage = status >= 200 && status < 300 ? null : 'status'
    return { durationMs: elapsedMs(), ...done.response, stage, error: null }
  }

  return {
    /** Rejects only on an invalid header or after `close`. */
    async send(request: SendRequest): Promise<SentAttempt> {
      if (isClosed) throw new Error('The sender is closed.')
      return running.add(attempt(request))
    },
    async close(): Promise<void> {
      isClosed = true
      await running.ended()
      connections.closeIdle()
    },
  }
}

/** docs/merchants/webhooks.md states this too. */
const maxReadBytes = 16 * 1024
const maxReadChunks = 256
/** This much is stored for the merchant: enough for an error message. */
export const maxStoredBytes = 1024

interface PostRequest {
  path: string
  headers: Record<string, string>
  body: string
}

type Exchange = { response: { status: number; responseText: string }; isReusable: boolean } | Failure

/** Rejects only if the request is invalid, which is a bug. */
export function sendHttpRequest(
  connection: HttpConnection,
  meter: TimeMeter,
  { path, headers, body }: PostRequest,
  deadline: AbortSignal,
): Promise<Exchange> {
  return new Promise((resolve) => {
    const fail = (fault: SendFault): void => resolve({ fault })
    const late = (): void => fail(sendFaults.lateResponse)
    if (deadline.aborted) return late()
    deadline.addEventListener('abort', late)
    const { gauge, socket } = connection
    if (socket.destroyed) return fail(sendFaults.closed)
    const request = http.request({
      createConnection: () => socket,
      method: 'POST',
      // By default, Node.js closes the connection if a request has no agent.
      headers: { Connection: 'keep-alive', ...headers },
    })
    // With `path` as an option, Node.js would copy all options again.
    request.path = path
    let received: IncomingMessage | null = null
    const notHttp = (): void => {
      fail(sendFaults.notHttp)
      socket.destroy()
    }
    request.on('upgrade', notHttp)
    // If the response is complete, the error concerns bytes that came after it.
    request.on('error', (error) => received?.complete || fail(toExchangeFault(error)))
    request.on('response', (response) => {
      const { statusCode: status = 0 } = response
      if (status < 200) return notHttp()
      received = response
      connection.mayIdleMs = maxIdleMsFor(response.headers['keep-alive'])
      const chunks: Buffer[] = []
      let read = 0
      let chunksRead = 0
      const finish = (isReusable: boolean): void =>
        resolve({ response: { status, responseText: responseTextOf(chunks) }, isReusable })
      response.on('data', (chunk: Buffer) => {
        if (read < maxStoredBytes) chunks.push(chunk)
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
        // Only the next iteration of the event loop shows whether the whole
        // request was sent and the connection stays open.
        setImmediate(() => finish(request.writableFinished && socket.writable))
      })
      response.on('error', (error) => fail(toExchangeFault(error)))
    })
    gauge.begin('response', meter)
    request.end(body)
  })
}

/** Control characters except tabs and line breaks. */
const harmful = /(?![\t\n\r])\p{Cc}/gu

/** Never ends with half a character. */
function responseTextOf(chunks: readonly Buffer[]): string {
  if (chunks.length === 0) return ''
  const kept = Buffer.concat(chunks).subarray(0, maxStoredBytes)
  return new StringDecoder('utf8').write(kept).replace(harmful, '\ufffd')
}
