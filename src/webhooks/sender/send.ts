import { constants } from 'node:crypto'
import tls from 'node:tls'
import { judgeUrl, portOf } from '../../input/webhook-url.ts'
import { createMeters, meters } from '../../limits/rate.ts'
import { isWithin, type Range } from '../../platform/network.ts'
import { createRunningWork } from '../../platform/running-work.ts'
import { withTimeout } from '../../platform/timeout.ts'
import type { AttemptRecord } from '../deliveries/delivery.ts'
import { createConnections, openSocket, type Target } from './connections.ts'
import { type Exchange, exchange, type PostRequest } from './exchange.ts'
import { type Resolve, resolverFor } from './resolve.ts'

/** The result of one attempt. The stage `status` means that the response had a status other than 2xx. */
export type Attempt = Omit<AttemptRecord, 'at' | 'url'>

const noResponse = { status: null, responseText: null }

export interface SendRequest {
  /** The id of the business that owns the endpoint. */
  owner: string
  url: string
  headers: Record<string, string>
  body: string
  /** Called when the attempt starts. The argument is a function that aborts the attempt. */
  onStart?: (abort: () => void) => void
}

export interface SenderOptions {
  /** The timeout for a whole attempt, from the DNS query to the last byte of the response. */
  timeoutMs: number
  /**
   * The `host:port` pairs of endpoints that are allowed to have a private address, to be an IP address or to use plain
   * http.
   */
  allowedHosts: ReadonlySet<string>
  /** The networks to which connections are forbidden, even for an allowed host. */
  blockedRanges: readonly Range[]
  /**
   * The number of sockets from which on idle connections are closed before another one is opened. Callers limit the
   * number of attempts in flight.
   */
  maxSockets: number
  /** The `User-Agent` header, because common firewalls refuse requests without one. */
  userAgent: string
  /** Resolves names in tests, instead of DNS. */
  resolve?: Resolve
  /** The PEM certificate of the certificate authority that tests trust instead of the public ones. */
  ca?: string
}

export type Sender = ReturnType<typeof createSender>

function targetOf(url: URL, allowed: boolean): Target {
  const hostname = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname
  return { origin: url.origin, hostname, port: portOf(url), secure: url.protocol === 'https:', allowed }
}

/** Creates the only HTTP client for webhooks. It ignores environment variables for proxies and TLS. */
export function createSender(options: SenderOptions) {
  const { timeoutMs, allowedHosts, blockedRanges, maxSockets, userAgent, resolve, ca } = options
  // All connections share one context, because otherwise loading the certificate authorities would be a large part of
  // the cost of each handshake. Renegotiation is disabled because its certificate chain could be as long as a response.
  const secureOptions = constants.SSL_OP_NO_RENEGOTIATION
  const trust = tls.createSecureContext({ minVersion: 'TLSv1.2', ca, secureOptions })
  const connections = createConnections(maxSockets)
  const meterOf = createMeters(meters.endpoints, () => performance.now())
  const isBlocked = (address: string): boolean => isWithin(blockedRanges, address)
  const running = createRunningWork()
  let isClosed = false

  /**
   * Sends the request only once. The endpoint may have read the request even if the request fails, so the request must
   * not be sent again before the next attempt is due.
   */
  async function post(target: Target, owner: string, request: PostRequest, deadline: AbortSignal): Promise<Exchange> {
    const meter = meterOf(owner)
    const lookup = { resolve: resolve ?? resolverFor(target.allowed), isBlocked }
    const open = () => openSocket(lookup, trust, target, meter, deadline)
    const connection = connections.take(target.origin) ?? (await connections.open(target.origin, open))
    if ('fault' in connection) return connection
    let isReusable = false
    try {
      const done = await exchange(connection, meter, request, deadline)
      isReusable = 'response' in done && done.isReusable
      return done
    } finally {
      if (isReusable) connections.giveBack(connection)
      else connections.drop(connection)
    }
  }

  async function attempt({ owner, url, headers, body, onStart }: SendRequest): Promise<Attempt> {
    const startedAt = performance.now()
    const elapsedMs = (): number => Math.round(performance.now() - startedAt)
    const judged = judgeUrl(url, allowedHosts)
    if ('fault' in judged) return { durationMs: elapsedMs(), ...noResponse, stage: 'address', error: judged.fault }
    const deadline = new AbortController()
    const abort = (): void => deadline.abort()
    onStart?.(abort)
    const path = judged.url.pathname + judged.url.search
    const target = targetOf(judged.url, judged.allowed)
    const all = { Host: judged.url.host, 'User-Agent': userAgent, Accept: '*/*', ...headers }
    const posting = post(target, owner, { path, headers: all, body }, deadline.signal)
    await withTimeout(posting, timeoutMs, abort)
    const done = await posting
    const durationMs = elapsedMs()
    if ('fault' in done) return { durationMs, ...noResponse, ...done.fault }
    const { status } = done.response
    return { durationMs, ...done.response, stage: status >= 200 && status < 300 ? null : 'status', error: null }
  }

  return {
    /**
     * Posts `body` unchanged. Rejects only if a header is invalid or if the sender has been closed. An endpoint cannot
     * cause either of these errors.
     */
    async send(request: SendRequest): Promise<Attempt> {
      if (isClosed) throw new Error('The sender is closed.')
      return running.add(attempt(request))
    },
    /** Waits for all running attempts to end, then closes all sockets. */
    async close(): Promise<void> {
      isClosed = true
      await running.ended()
      connections.closeIdle()
    },
  }
}
