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

/** The stage `status` means that the response had a status other than 2xx. */
export type Attempt = Omit<AttemptRecord, 'at' | 'url'>

const noResponse = { status: null, responseText: null }

export interface SendRequest {
  /** The id of the business that owns the endpoint. */
  owner: string
  url: string
  headers: Record<string, string>
  body: string
  /** Called with a function that aborts the attempt. */
  onStart?: (abort: () => void) => void
}

export interface SenderOptions {
  /** Covers a whole attempt, from the DNS query to the last byte of the response. */
  timeoutMs: number
  /** Endpoints, as `host:port`, that may have a private address, be an IP address or use plain http. */
  allowedHosts: ReadonlySet<string>
  /** Networks that even an allowed host must not be in. */
  blockedRanges: readonly Range[]
  /** With this many sockets, an idle one is closed before another opens. Callers limit attempts in flight. */
  maxSockets: number
  /** Common firewalls refuse requests without a `User-Agent` header. */
  userAgent: string
  /** Tests use this instead of DNS. */
  resolve?: Resolve
  /** The authority that tests trust instead of the public ones, as PEM. */
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
  // All connections share one context, because loading the authorities would be a large part of each handshake.
  // Renegotiation is off, because its certificate chain could be as long as a response.
  const secureOptions = constants.SSL_OP_NO_RENEGOTIATION
  const trust = tls.createSecureContext({ minVersion: 'TLSv1.2', ca, secureOptions })
  const connections = createConnections(maxSockets)
  const meterOf = createMeters(meters.endpoints, () => performance.now())
  const isBlocked = (address: string): boolean => isWithin(blockedRanges, address)
  const running = createRunningWork()
  let isClosed = false

  /** Sends once: even after a failure, the endpoint may have read the request. */
  async function post(
    target: Target,
    owner: string,
    request: PostRequest,
    deadline: AbortSignal,
  ): Promise<Exchange> {
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
    if ('fault' in judged)
      return { durationMs: elapsedMs(), ...noResponse, stage: 'address', error: judged.fault }
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
    return {
      durationMs,
      ...done.response,
      stage: status >= 200 && status < 300 ? null : 'status',
      error: null,
    }
  }

  return {
    /** Posts `body` unchanged. Rejects only on an invalid header or a closed sender, not because of the endpoint. */
    async send(request: SendRequest): Promise<Attempt> {
      if (isClosed) throw new Error('The sender is closed.')
      return running.add(attempt(request))
    },
    /** Waits for running attempts to end, then closes all sockets. */
    async close(): Promise<void> {
      isClosed = true
      await running.ended()
      connections.closeIdle()
    },
  }
}
