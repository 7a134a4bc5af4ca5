import { createHmac } from 'node:crypto'
import http, { type ClientRequest, type RequestOptions } from 'node:http'
import https from 'node:https'
import type { Resource } from '../../limits/limit.ts'
import { createShare } from '../../limits/share.ts'
import type { Deps } from '../../platform/deps.ts'
import { createRunningWork } from '../../platform/running-work.ts'
import { version } from '../../platform/version.ts'
import { connectionWaitFraction, type Exchange, exchange, type ProviderRequest } from './exchange.ts'

/** The provider may hang for the customers of one business only. */
export const providerLimits = {
  requests: {
    what: 'Requests to the wallet provider in progress',
    total: 256,
    parts: [{ owner: 'business', max: 128 }],
    leavesFree: true,
    gets: 'a wait of up to half of the timeout, then the order is not sent',
    maxWaiting: 1_000,
  },
} satisfies Record<string, Resource>

/** Many servers close idle connections after 5 s, and an order that we're sending would then be lost. */
const idleMs = 4_000
/** Before a shorter time that a server announces. */
const idleMarginMs = 2_000

function createAgent(isSecure: boolean): http.Agent {
  const options = { keepAlive: true, timeout: idleMs, agentKeepAliveTimeoutBuffer: idleMarginMs }
  // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment has no effect.
  return isSecure ? new https.Agent({ ...options, rejectUnauthorized: true }) : new http.Agent(options)
}

export function openProvider(deps: Pick<Deps, 'config' | 'now'>, { url, key }: { url: string; key: string }) {
  const timeoutMs = deps.config.walletTimeoutMs
  const { origin, pathname } = new URL(url)
  const base = pathname === '/' ? '' : pathname
  const isSecure = origin.startsWith('https:')
  const agent = createAgent(isSecure)
  const start = (options: RequestOptions): ClientRequest =>
    (isSecure ? https : http).request(origin, { ...options, agent })
  const share = createShare(providerLimits)
  const running = createRunningWork()
  let isClosed = false

  function signed(method: 'GET' | 'POST', path: string, body: string): Record<string, string> {
    const timestamp = String(Math.floor(deps.now().getTime() / 1000))
    return {
      'User-Agent': `${deps.config.webhookHeaderBrand}-Payments/${version}`,
      Accept: '*/*',
      'X-Wallet-Timestamp': timestamp,
      'X-Wallet-Signature': signatureOf(key, { timestamp, method, path, body }),
    }
  }

  async function sendSoon(businessId: string, request: () => ProviderRequest): Promise<Exchange> {
    const startedAt = performance.now()
    const held = await share.take([businessId], { requests: 1 }, timeoutMs * connectionWaitFraction)
    if (held === null) return { outcome: 'never-sent', why: 'no connection' }
    const leftMs = timeoutMs - (performance.now() - startedAt)
    // Sign after the wait, because a signature is valid for a limited time.
    return exchange(start, request(), leftMs).finally(held.free)
  }

  async function send(businessId: string, request: () => ProviderRequest): Promise<Exchange> {
    if (isClosed) return { outcome: 'never-sent', why: 'closed' }
    return running.add(sendSoon(businessId, request))
  }

  return {
    post(businessId: string, resource: string, order: { key: string }): Promise<Exchange> {
      const path = base + resource
      const body = JSON.stringify(order)
      const own = { 'Content-Type': 'application/json', 'Idempotency-Key': order.key }
      return send(businessId, () => {
        const headers = { ...own, ...signed('POST', path, body) }
        return { method: 'POST', path, headers, body }
      })
    },
    get(businessId: string, resource: string): Promise<Exchange> {
      const path = base + resource
      return send(businessId, () => ({ method: 'GET', path, headers: signed('GET', path, ''), body: null }))
    },
    async close(): Promise<void> {
      isClosed = true
      await running.ended()
      agent.destroy()
    },
  }
}

interface Signed extends Pick<ProviderRequest, 'method' | 'path'> {
  timestamp: string
  body: string
}

/** Only the body can contain a line feed, so two requests never have the same signed text. */
export function signatureOf(key: string, { timestamp, method, path, body }: Signed): string {
  const text = [timestamp, method, path, body].join('\n')
  return `sha256=${createHmac('sha256', key).update(text).digest('hex')}`
}
