import http, { type ClientRequest, type RequestOptions } from 'node:http'
import https from 'node:https'
import type { Deps } from '../../deps.ts'
import { createFairSlots, fewerThanFree } from '../../process/fair-slots.ts'
import { version } from '../../version.ts'
import { connectionWaitShare, type Exchange, exchange, type ProviderRequest } from './exchange.ts'
import { signature } from './sign.ts'

/** The connections to the provider. Each request occupies one of the slots of the business for which it is made. */
export type Provider = ReturnType<typeof openProvider>

/**
 * The maximum number of connections. Further requests wait, so a provider that hangs cannot use up an unlimited number
 * of sockets. Each business has only a share of the connections, because a provider may hang only for the customers of
 * one business.
 */
const maxConnections = 256

/**
 * How long an idle connection is kept open. Many servers close idle connections after 5 s, so this service closes them
 * slightly earlier. An order would be lost if the server closed the connection while the order was being sent.
 */
const idleMs = 4_000
/** If a server announces a shorter time, the connection is closed this much earlier. */
const idleMarginMs = 2_000

/**
 * Creates an agent that queues no requests: the slots limit them. It reuses idle connections before it opens another
 * one.
 */
function createAgent(isSecure: boolean): http.Agent {
  const options = { keepAlive: true, timeout: idleMs, agentKeepAliveTimeoutBuffer: idleMarginMs }
  // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment has no effect.
  return isSecure ? new https.Agent({ ...options, rejectUnauthorized: true }) : new http.Agent(options)
}

/**
 * Connects to the provider at `url`, and signs each request with `key`. Node.js environment variables do not affect
 * these connections.
 */
export function openProvider(deps: Pick<Deps, 'config' | 'now'>, { url, key }: { url: string; key: string }) {
  const timeoutMs = deps.config.walletTimeoutMs
  const { origin, pathname } = new URL(url)
  const base = pathname === '/' ? '' : pathname
  const isSecure = origin.startsWith('https:')
  const agent = createAgent(isSecure)
  const start = (options: RequestOptions): ClientRequest =>
    (isSecure ? https : http).request(origin, { ...options, agent })
  const slots = createFairSlots(fewerThanFree(maxConnections))
  const running = new Set<Promise<Exchange>>()
  let isClosed = false

  function signed(method: 'GET' | 'POST', path: string, body: string): Record<string, string> {
    const timestamp = String(Math.floor(deps.now().getTime() / 1000))
    return {
      'User-Agent': `${deps.config.webhookHeaderBrand}-Payments/${version}`,
      Accept: '*/*',
      'X-Wallet-Timestamp': timestamp,
      'X-Wallet-Signature': signature(key, { timestamp, method, path, body }),
    }
  }

  /**
   * Sends a request as soon as its business has a free connection. The time spent waiting counts towards `timeoutMs`.
   */
  async function sendSoon(businessId: string, request: () => ProviderRequest): Promise<Exchange> {
    const startedAt = performance.now()
    const free = await slots.take(businessId, timeoutMs * connectionWaitShare)
    if (free === null) return { outcome: 'never-sent', why: 'no connection' }
    const leftMs = timeoutMs - (performance.now() - startedAt)
    // The request is signed only after the wait, because a signature is valid only for a limited time.
    return exchange(start, request(), leftMs).finally(free)
  }

  async function send(businessId: string, request: () => ProviderRequest): Promise<Exchange> {
    if (isClosed) return { outcome: 'never-sent', why: 'closed' }
    const sending = sendSoon(businessId, request)
    running.add(sending)
    try {
      return await sending
    } finally {
      running.delete(sending)
    }
  }

  return {
    /** Sends an order, with the order's key as the idempotency key. */
    post(businessId: string, resource: string, order: { key: string; [field: string]: unknown }): Promise<Exchange> {
      const path = base + resource
      const body = JSON.stringify(order)
      const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': order.key }
      return send(businessId, () => ({
        method: 'POST',
        path,
        headers: { ...headers, ...signed('POST', path, body) },
        body,
      }))
    },
    /** Sends a status query. */
    get(businessId: string, resource: string): Promise<Exchange> {
      const path = base + resource
      return send(businessId, () => ({ method: 'GET', path, headers: signed('GET', path, ''), body: null }))
    },
    /** Closes the connections once all running requests have finished. */
    async close(): Promise<void> {
      isClosed = true
      await Promise.allSettled(running)
      agent.destroy()
    },
  }
}
