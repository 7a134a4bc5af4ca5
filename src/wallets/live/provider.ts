import { Pool } from 'undici'
import type { Deps } from '../../deps.ts'
import { type Exchange, exchange } from './exchange.ts'
import { signature } from './sign.ts'

/** The provider's end of the wire. */
export interface Provider {
  /** An order; its key is the idempotency key. */
  post(place: string, order: { key: string; [field: string]: unknown }): Promise<Exchange>
  /** A question. */
  get(place: string): Promise<Exchange>
  /** Once what is under way has ended. */
  close(): Promise<void>
}

/** More at once wait for one another: a provider that hangs takes no more of our sockets. */
const mostConnections = 256

/** Shorter than the 5 s after which many servers close: an order on a connection that is closed as it is used is lost on its way. */
const idleMs = 4_000
/** A server may ask for longer, and is believed but for what the way there and back may take. */
const longestIdleMs = 60_000
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

  function signed(method: 'GET' | 'POST', path: string, body: string): Record<string, string> {
    const timestamp = String(Math.floor(deps.now().getTime() / 1000))
    return {
      'X-Wallet-Timestamp': timestamp,
      'X-Wallet-Signature': signature(key, { timestamp, method, path, body }),
    }
  }

  return {
    post(place, order) {
      const path = base + place
      const body = JSON.stringify(order)
      const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': order.key }
      const request = {
        method: 'POST',
        path,
        headers: { ...headers, ...signed('POST', path, body) },
        body,
      } as const
      return exchange(pool, request, timeoutMs)
    },
    get(place) {
      const path = base + place
      return exchange(pool, { method: 'GET', path, headers: signed('GET', path, ''), body: null }, timeoutMs)
    },
    close: () => pool.close(),
  }
}

const openPool = (origin: string, timeoutMs: number): Pool =>
  new Pool(origin, {
    connections: mostConnections,
    // Said outright, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment changes nothing.
    connect: { timeout: timeoutMs, rejectUnauthorized: true },
    // The deadline of the exchange is the one that counts.
    headersTimeout: 0,
    bodyTimeout: 0,
    // Node's own limit, whatever NODE_OPTIONS says.
    maxHeaderSize: 16 * 1024,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: longestIdleMs,
    keepAliveTimeoutThreshold: idleMarginMs,
  })
