import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Ajv } from 'ajv'
import type { Entry, Journal } from './journal.ts'
import type { Log, openPayments, PaymentRequest } from './payments.ts'

const text = { type: 'string', minLength: 1, maxLength: 64 } as const
const money = { type: 'integer', minimum: 0, maximum: 10 ** 12 } as const
const isPaymentRequest = new Ajv({
  formats: { time: (given) => !Number.isNaN(Date.parse(given)) },
}).compile<PaymentRequest>({
  type: 'object',
  required: ['key', 'amount', 'fee', 'currency', 'phone', 'pin', 'reference', 'businessId', 'validUntil'],
  properties: {
    key: { ...text, pattern: '^\\S+$' },
    amount: money,
    fee: money,
    currency: { const: 'MRU' },
    phone: { type: 'string', pattern: '^\\d{8,15}$' },
    pin: { type: 'string', pattern: '^\\d{4,6}$' },
    reference: text,
    businessId: text,
    validUntil: { type: 'string', format: 'time' },
  },
})

const maxBodyBytes = 16 * 1024
const maxSkewMs = 300_000

interface Bridge {
  journal: Journal
  payments: ReturnType<typeof openPayments>
  log: Log
  /** The current one, and the previous one while it changes. */
  keys: readonly string[]
  /** Less than the service's WALLET_PROVIDER_TIMEOUT_SECONDS. */
  respondWithinMs: number
}

export const createBridgeServer = (bridge: Bridge): Server =>
  createServer((req, res) => void respond(bridge, req, res))

async function respond(bridge: Bridge, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const [status, body] = await handle(bridge, req).catch((error): Response => {
    bridge.log('request.failed', { error: String(error) })
    return [500, {}]
  })
  res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
}

type Response = [status: number, body: object]

async function handle(bridge: Bridge, req: IncomingMessage): Promise<Response> {
  const { journal, payments, keys, respondWithinMs } = bridge
  const { method, url: path = '' } = req
  const body = await readBody(req)
  if (body === null) return [413, {}]
  if (!keys.some((key) => isSigned(key, req, body))) return [401, {}]
  const [, noun, encodedKey] = /\/(payments|refunds)(?:\/([^/?]+))?$/.exec(path) ?? []
  if (method === 'GET' && encodedKey !== undefined) {
    const key = orNull(() => decodeURIComponent(encodedKey))
    if (noun === 'refunds' || key === null) return [404, { key, status: 'unknown' }]
    const entry = journal.find(key)
    if (entry !== null) return present(entry)
    return (await payments.isAbsent(key)) ? [404, { key, status: 'unknown' }] : [503, {}]
  }
  if (method !== 'POST' || noun === undefined || encodedKey !== undefined) return [404, {}]
  if (noun === 'refunds') return [501, {}]
  const request = orNull((): unknown => JSON.parse(body.toString()))
  if (!isPaymentRequest(request)) return [400, {}]
  const result = await payments.receive(request, respondWithinMs)
  if (result === 'other body') return [409, {}]
  return result === 'expired' ? [410, { key: request.key, status: 'expired' }] : present(result)
}

function present({ key, amount, fee, state, reason, settledBy }: Entry): Response {
  const status = settledBy === null ? 'pending' : state
  return [200, { key, status, ...(reason === null ? {} : { reason }), amount, fee }]
}

function orNull<T>(parse: () => T): T | null {
  try {
    return parse()
  } catch {
    return null
  }
}

async function readBody(req: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of req) {
    bytes += (chunk as Buffer).length
    // To leave the loop would close the connection before the response.
    if (bytes <= maxBodyBytes) chunks.push(chunk as Buffer)
  }
  return bytes > maxBodyBytes ? null : Buffer.concat(chunks)
}

function isSigned(key: string, { headers, method, url }: IncomingMessage, body: Buffer): boolean {
  const timestamp = String(headers['x-wallet-timestamp'])
  const skewMs = Math.abs(Number(timestamp) * 1000 - Date.now())
  if (!/^\d+$/.test(timestamp) || skewMs > maxSkewMs) return false
  const hmac = createHmac('sha256', key).update(`${timestamp}\n${method}\n${url}\n`).update(body)
  const right = Buffer.from(`sha256=${hmac.digest('hex')}`)
  const given = Buffer.from(String(headers['x-wallet-signature']))
  return right.length === given.length && timingSafeEqual(right, given)
}
