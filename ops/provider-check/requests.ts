import http, { type ClientRequest } from 'node:http'
import https from 'node:https'
import { signWalletRequest } from '../../src/wallets/live/provider.ts'

export interface Provider {
  url: string
  key: string
}

export interface WalletRequest {
  method: 'GET' | 'POST'
  /** Without the path of the provider's URL. */
  path: string
  body?: string
  headers?: Record<string, string>
}

type Signed = { timestamp: string; method: string; path: string; body: string }

/** How a request differs from one of the service. */
export interface Changes {
  key?: string
  /** Seconds from now to the time in the signature. */
  ageSeconds?: number
  /** Changes what is signed, but not what is sent. */
  sign?: (signed: Signed) => Partial<Signed>
  header?: (signature: string) => string | null
  /** Closes the connection this long after sending, without waiting for a response. */
  dropAfterMs?: number
}

export interface Reply {
  /** What was sent, without a PIN. */
  sent: string
  /** Null without a response. */
  status: number | null
  body: string
  /** Why there is no response. */
  fault: string | null
  tookMs: number
  /** By the Date header, which has no milliseconds. Null without one. */
  clockOffMs: number | null
}

const maxReadBytes = 1024 * 1024

export async function sendRequest(
  { url, key }: Provider,
  { method, path, body = '', headers = {} }: WalletRequest,
  changes: Changes,
  timeoutMs: number,
): Promise<Reply> {
  const { origin, pathname } = new URL(url)
  const fullPath = pathname.replace(/\/$/, '') + path
  const timestamp = String(Math.floor(Date.now() / 1000) - (changes.ageSeconds ?? 0))
  const signed = { timestamp, method, path: fullPath, body }
  // A method that the service never signs with still has to fit its type.
  const changed = { ...signed, ...changes.sign?.(signed) } as Parameters<typeof signWalletRequest>[1]
  const right = signWalletRequest(changes.key ?? key, changed)
  const signature = changes.header ? changes.header(right) : right
  const sentHeaders: Record<string, string> = {
    'User-Agent': 'Service-Payments/provider-check',
    Accept: '*/*',
    'X-Wallet-Timestamp': timestamp,
    ...(signature === null ? {} : { 'X-Wallet-Signature': signature }),
    ...headers,
    ...(method === 'POST' ? { 'Content-Type': 'application/json' } : {}),
  }
  const start = origin.startsWith('https:') ? https.request : http.request
  const startedAt = performance.now()
  // A connection for each request, so that no request waits for another.
  const request = start(origin + fullPath, { method, headers: sentHeaders, agent: false })
  const sent = `${method} ${fullPath} ${body.replace(/("pin":\s*")\d+/, '$1****')}`.trim()
  const response = await exchange(request, body, { timeoutMs, dropAfterMs: changes.dropAfterMs ?? null })
  return { ...response, sent, tookMs: performance.now() - startedAt }
}

type Exchanged = Pick<Reply, 'status' | 'body' | 'fault' | 'clockOffMs'>

const exchange = (
  request: ClientRequest,
  body: string,
  { timeoutMs, dropAfterMs }: { timeoutMs: number; dropAfterMs: number | null },
): Promise<Exchanged> =>
  new Promise((resolve) => {
    const end = (result: Partial<Exchanged>): void => {
      clearTimeout(timer)
      resolve({ status: null, body: '', fault: null, clockOffMs: null, ...result })
      request.destroy()
    }
    const timer = setTimeout(() => end({ fault: `no response within ${timeoutMs / 1000} s` }), timeoutMs)
    request.on('error', (error: NodeJS.ErrnoException) => end({ fault: error.code ?? error.message }))
    if (dropAfterMs !== null)
      request.on('finish', () =>
        setTimeout(() => end({ fault: 'connection closed by the kit' }), dropAfterMs),
      )
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        bytes += chunk.length
        if (bytes > maxReadBytes) end({ fault: 'more than 1 MiB' })
      })
      response.on('error', (error) => end({ fault: error.message }))
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const { date } = response.headers
        const clockOffMs = date === undefined ? null : Date.parse(date) + 500 - Date.now()
        end({ status: response.statusCode ?? 0, body: text, clockOffMs })
      })
    })
    request.end(body)
  })
