import { Pool } from 'undici'
import type { Deps } from '../../deps.ts'
import { createFairSlots, fewerThanFree } from '../../process/fair-slots.ts'
import { connectionWaitShare, type Exchange, exchange, type ProviderRequest } from './exchange.ts'
import { signature } from './sign.ts'

/** The provider's end of the wire. Each request counts for the business that it is about. */
export interface Provider {
  /** An order; its key is the idempotency key. */
  post(businessId: string, path: string, order: { key: string; [field: string]: unknown }): Promise<Exchange>
  /** A question. */
  get(businessId: string, path: string): Promise<Exchange>
  /** Once what is under way has ended. */
  close(): Promise<void>
}

/**
 * Requests beyond this wait, so that a provider that hangs takes no more sockets. A business has a share of them, because a provider may hang
 * for its customers alone.
 */
const maxConnections = 256

/** Shorter than the 5 s after which many servers close: an order on a connection that is closed as it is used is lost on its way. */
const idleMs = 4_000
/** A server may ask for longer, and is believed but for what the way there and back may take. */
const maxIdleMs = 60_000
const idleMarginMs = 2_000

/** Signs what is sent to the provider at `url` with `key`, and keeps connections to it. Nothing in the environment changes the way there. */
export function openProvider(
  deps: Pick<Deps, 'config' | 'now'>,
  { url, key }: { url: string; key: string },
): Provider {
  const timeoutMs = deps.config.walletTimeoutMs
  const { origin, pathname } = new URL(url)
  const base = pathname === '/' ? '' : pathname
  const pool = openPool(origin, timeoutMs)
  const slots = createFairSlots(fewerThanFree(maxConnections))

  function signed(method: 'GET' | 'POST', path: string, body: string): Record<string, string> {
    const timestamp = String(Math.floor(deps.now().getTime() / 1000))
    return {
      'X-Wallet-Timestamp': timestamp,
      'X-Wallet-Signature': signature(key, { timestamp, method, path, body }),
    }
  }

  /** Sends a request once its business has a connection left. The wait is part of `timeoutMs`. */
  async function send(businessId: string, request: () => ProviderRequest): Promise<Exchange> {
    const startedAt = performance.now()
    const free = await slots.take(businessId, timeoutMs * connectionWaitShare)
    if (free === null) return { outcome: 'never-sent', why: 'no connection' }
    const leftMs = timeoutMs - (performance.now() - startedAt)
    // Signed only now: a signature is valid for a limited time.
    return exchange(pool, request(), leftMs).finally(free)
  }

  return {
    post(businessId, place, order) {
      const path = base + place
      const body = JSON.stringify(order)
      const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': order.key }
      return send(businessId, () => ({
        method: 'POST',
        path,
        headers: { ...headers, ...signed('POST', path, body) },
        body,
      }))
    },
    get(businessId, place) {
      const path = base + place
      return send(businessId, () => ({ method: 'GET', path, headers: signed('GET', path, ''), body: null }))
    },
    close: () => pool.close(),
  }
}

const openPool = (origin: string, timeoutMs: number): Pool =>
  new Pool(origin, {
    connections: maxConnections,
    // Said outright, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment changes nothing.
    connect: { timeout: timeoutMs, rejectUnauthorized: true },
    // The deadline of the exchange is the one that counts.
    headersTimeout: 0,
    bodyTimeout: 0,
    // Node's own limit, whatever NODE_OPTIONS says.
    maxHeaderSize: 16 * 1024,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: maxIdleMs,
    keepAliveTimeoutThreshold: idleMarginMs,
  })
