import { createHmac } from 'node:crypto'
import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import https from 'node:https'
import { TLSSocket } from 'node:tls'
import { divideLimits, type LimitedResource } from '../../limits/limit.ts'
import { createShare } from '../../limits/share.ts'
import type { Deps } from '../../platform/deps.ts'
import { createWorkTracker } from '../../platform/running-work.ts'
import { withTimeout } from '../../platform/timeout.ts'
import { packageVersion } from '../../platform/version.ts'

/** The provider may hang for the customers of only one business. */
export const providerLimits = {
  requests: {
    what: 'Requests to the wallet provider in progress',
    total: 256,
    parts: [{ owner: 'business', max: 128 }],
    leavesFree: true,
    gets: 'a wait of up to half of the timeout, then the order is not sent',
    maxWaiting: 1_000,
  },
} satisfies Record<string, LimitedResource>

/** Many servers close idle connections after 5 s and then lose the order. */
const idleMs = 4_000
/** How long before the server's keep-alive timeout we close a connection. */
const idleMarginMs = 2_000

function createAgent(isSecure: boolean): http.Agent {
  const options = { keepAlive: true, timeout: idleMs, agentKeepAliveTimeoutBuffer: idleMarginMs }
  // Overrides NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment.
  return isSecure ? new https.Agent({ ...options, rejectUnauthorized: true }) : new http.Agent(options)
}

export function openWalletProvider(
  deps: Pick<Deps, 'config' | 'now'>,
  { url, key }: { url: string; key: string },
) {
  const timeoutMs = deps.config.walletTimeoutMs
  const { origin, pathname } = new URL(url)
  const base = pathname === '/' ? '' : pathname
  const isSecure = origin.startsWith('https:')
  const agent = createAgent(isSecure)
  const start = (options: RequestOptions): ClientRequest =>
    (isSecure ? https : http).request(origin, { ...options, agent })
  const share = createShare(divideLimits(providerLimits, deps.config.webConcurrency))
  const running = createWorkTracker()
  let isClosed = false

  function signed({ method, path, body }: Omit<ProviderRequest, 'headers'>): Record<string, string> {
    const timestamp = String(Math.floor(deps.now().getTime() / 1000))
    return {
      'User-Agent': `${deps.config.webhookHeaderBrand}-Payments/${packageVersion}`,
      Accept: '*/*',
      'X-Wallet-Timestamp': timestamp,
      'X-Wallet-Signature': signWalletRequest(key, { timestamp, method, path, body: body ?? '' }),
    }
  }

  async function sendSoon(businessId: string, request: ProviderRequest): Promise<Exchange> {
    const startedAt = performance.now()
    const held = await share.take([businessId], { requests: 1 }, timeoutMs * connectionWaitFraction)
    if (held === null) return { outcome: 'never-sent', why: 'no connection' }
    const leftMs = timeoutMs - (performance.now() - startedAt)
    // Sign after the wait, because a signature is valid for a limited time.
    const headers = { ...request.headers, ...signed(request) }
    return exchangeWithProvider(start, { ...request, headers }, leftMs).finally(held.free)
  }

  async function send(businessId: string, request: ProviderRequest): Promise<Exchange> {
    if (isClosed) return { outcome: 'never-sent', why: 'closed' }
    return running.add(sendSoon(businessId, { ...request, path: base + request.path }))
  }

  return {
    post(businessId: string, path: string, order: { key: string }): Promise<Exchange> {
      const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': order.key }
      return send(businessId, { method: 'POST', path, headers, body: JSON.stringify(order) })
    },
    get: (businessId: string, path: string): Promise<Exchange> =>
      send(businessId, { method: 'GET', path, headers: {}, body: null }),
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

/** The signed text is unambiguous: only `body` can contain line feeds. */
export function signWalletRequest(key: string, { timestamp, method, path, body }: Signed): string {
  const text = [timestamp, method, path, body].join('\n')
  return `sha256=${createHmac('sha256', key).update(text).digest('hex')}`
}

interface ProviderRequest {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body: string | null
}

export interface ProviderResponse {
  outcome: 'responded'
  status: number
  body: string
}

/** `lost` means that the provider may have received the whole request. */
type Exchange = ProviderResponse | { outcome: 'lost'; why: string } | { outcome: 'never-sent'; why: string }

/** An order that waited longer would probably time out at the provider. */
const connectionWaitFraction = 0.5

/** Genuine responses are 100 to 200 bytes long. */
const maxResponseBytes = 16 * 1024

/** `timeoutMs` covers everything up to the end of the response. */
export async function exchangeWithProvider(
  start: (options: RequestOptions) => ClientRequest,
  { body, ...options }: ProviderRequest,
  timeoutMs: number,
): Promise<Exchange> {
  const startedAt = performance.now()
  const request = start(options)
  const fault = new Promise<string>((resolve) => request.on('error', (error) => resolve(reasonOf(error))))
  const connecting = Promise.race([connected(request), fault])
  const unconnected = await withTimeout(connecting, timeoutMs * connectionWaitFraction, () => 'no connection')
  if (unconnected !== null) {
    request.destroy()
    return { outcome: 'never-sent', why: unconnected }
  }
  request.end(body ?? undefined)
  const lost = (why: string): Exchange => ({ outcome: 'lost', why })
  const receiving = Promise.race([receive(request), fault.then(lost)])
  return withTimeout(receiving, timeoutMs - (performance.now() - startedAt), () => {
    request.destroy()
    return lost('timeout')
  })
}

const connected = (request: ClientRequest): Promise<null> =>
  new Promise((resolve) => {
    request.on('socket', (socket) => {
      if (request.reusedSocket) resolve(null)
      else socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', () => resolve(null))
    })
  })

const receive = (request: ClientRequest): Promise<Exchange> =>
  new Promise((resolve) => request.on('response', (response) => resolve(read(response))))

async function read(response: IncomingMessage): Promise<Exchange> {
  const chunks: Buffer[] = []
  let receivedBytes = 0
  try {
    for await (const chunk of response) {
      chunks.push(chunk)
      receivedBytes += chunk.length
      if (receivedBytes > maxResponseBytes) return { outcome: 'lost', why: 'too large' }
    }
  } catch (error) {
    return { outcome: 'lost', why: reasonOf(error as Error) }
  }
  return { outcome: 'responded', status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'no DNS',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  HPE_HEADER_OVERFLOW: 'too large',
}

function reasonOf(error: NodeJS.ErrnoException): string {
  const { code = '' } = error
  return reasons[code] ?? (code.startsWith('HPE_') ? 'malformed' : code)
}
