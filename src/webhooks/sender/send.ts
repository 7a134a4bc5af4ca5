import { constants } from 'node:crypto'
import tls from 'node:tls'
import type { Range } from '../../security/network.ts'
import { isWithin } from './address.ts'
import { openSocket, type Target } from './connect.ts'
import type { Connection } from './connection.ts'
import { createConnections } from './connections.ts'
import { type Exchange, exchange, type PostRequest, type ReceiverAnswer } from './exchange.ts'
import { type Fault, faults } from './faults.ts'
import { createMeters } from './meter.ts'
import { type Resolve, resolverFor } from './resolve.ts'
import { judgeUrl, portOf } from './url.ts'

/** The result of one attempt. `refused`: a response with another status than 2xx. `unreachable`: no response. */
export type Attempt =
  | ({ outcome: 'delivered'; durationMs: number } & ReceiverAnswer)
  | ({ outcome: 'refused'; durationMs: number } & ReceiverAnswer)
  | ({ outcome: 'unreachable'; durationMs: number } & Fault)

export interface SendRequest {
  /** The id of the business that the request is for. */
  owner: string
  url: string
  headers: Record<string, string>
  body: string
  /** Called at the start with a function that aborts the attempt. */
  begun?: (end: () => void) => void
}

export interface SenderOptions {
  /** For a whole attempt, from DNS to the last byte read. */
  timeoutMs: number
  /** `host:port` of receivers that may be private, an IP literal or plain http. */
  allowedHosts: ReadonlySet<string>
  /** Networks that are never connected to, even for an allowed host. */
  blockedRanges: readonly Range[]
  /** All sockets. If more attempts run at once, some wait for a socket within their own timeout. */
  maxSockets: number
  /** Replaces DNS; for tests. */
  resolve?: Resolve
  /** PEM of the authority to trust instead of the public ones; for tests. */
  ca?: string
}

export interface Sender {
  /** Posts `body` unchanged. Rejects only for reasons that no endpoint can cause: a header that cannot be sent, a closed sender. */
  send(request: SendRequest): Promise<Attempt>
  /** Waits until running attempts have ended, then closes all sockets. */
  close(): Promise<void>
}

function targetOf(url: URL, allowed: boolean): Target {
  const hostname = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname
  return { origin: url.origin, hostname, port: portOf(url), secure: url.protocol === 'https:', allowed }
}

/** Creates the only HTTP client for webhooks. Proxy and TLS variables in the environment do not affect it. */
export function createSender(options: SenderOptions): Sender {
  const { timeoutMs, allowedHosts, blockedRanges, maxSockets, resolve, ca } = options
  // All connections share one context, because reading the authorities is a large part of the cost of a handshake.
  // Each connection has one handshake, which is metered. An endpoint must not be able to request more.
  const secureOptions = constants.SSL_OP_NO_RENEGOTIATION
  const trust = tls.createSecureContext({ minVersion: 'TLSv1.2', ca, secureOptions })
  const connections = createConnections(maxSockets)
  const handshakes = createMeters(() => performance.now())
  const reads = createMeters(() => performance.now())
  const hold = new Set<Promise<Attempt>>()
  let closed = false

  const isBlocked = (address: string): boolean => isWithin(blockedRanges, address)

  async function open(
    target: Target,
    owner: string,
    deadline: AbortSignal,
  ): Promise<Connection | { fault: Fault }> {
    let opened: Awaited<ReturnType<typeof openSocket>> | null = null
    try {
      opened = await openSocket(
        { resolve: resolve ?? resolverFor(target.allowed), isBlocked },
        trust,
        target,
        handshakes(owner),
        deadline,
      )
    } finally {
      if (opened === null || 'fault' in opened) connections.vacate()
    }
    return 'fault' in opened ? opened : connections.add(target.origin, opened)
  }

  async function over(
    connection: Connection,
    request: PostRequest,
    deadline: AbortSignal,
  ): Promise<Exchange> {
    let whole = false
    try {
      const done = await exchange(connection, request, deadline)
      whole = 'answer' in done && done.whole
      // Many servers close the connection right after a response without announcing it. The socket reports it within one turn.
      if (whole) await new Promise(setImmediate)
      return done
    } finally {
      if (whole) connections.giveBack(connection)
      else connections.drop(connection)
    }
  }

  /** Sends the request once. A POST that an endpoint may have read must not be repeated before the next attempt is due. */
  async function post(
    target: Target,
    owner: string,
    request: PostRequest,
    deadline: AbortSignal,
  ): Promise<Exchange> {
    const got = await connections.acquire(target.origin, deadline)
    if (got === null) return { fault: faults.noFreeConnection }
    const connection = got === 'permit' ? await open(target, owner, deadline) : got
    if ('fault' in connection) return connection
    connection.meter = reads(owner)
    return over(connection, request, deadline)
  }

  async function attempt({ owner, url, headers, body, begun }: SendRequest): Promise<Attempt> {
    const startedAt = performance.now()
    const took = (): number => Math.round(performance.now() - startedAt)
    const judged = judgeUrl(url, { allowedHosts })
    if ('fault' in judged)
      return { outcome: 'unreachable', stage: 'address', reason: judged.fault, durationMs: took() }
    const deadline = new AbortController()
    const end = (): void => deadline.abort()
    const timer = setTimeout(end, timeoutMs)
    begun?.(end)
    try {
      const path = judged.url.pathname + judged.url.search
      const target = targetOf(judged.url, judged.allowed)
      const done = await post(target, owner, { path, headers, body }, deadline.signal)
      if ('fault' in done) return { outcome: 'unreachable', ...done.fault, durationMs: took() }
      const { status } = done.answer
      const outcome = status >= 200 && status < 300 ? 'delivered' : 'refused'
      return { outcome, ...done.answer, durationMs: took() }
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    async send(request) {
      if (closed) throw new Error('The sender is closed.')
      const running = attempt(request)
      hold.add(running)
      try {
        return await running
      } finally {
        hold.delete(running)
      }
    },
    async close() {
      closed = true
      await Promise.allSettled(hold)
      connections.closeIdle()
    },
  }
}
