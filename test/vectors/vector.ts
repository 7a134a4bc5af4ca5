import { createHmac } from 'node:crypto'

/** A request to an endpoint, and what checking it must return. An element of webhook-signatures.json. */
export interface Vector {
  name: string
  why: string
  valid: boolean
  /** The event's id in the signed body. Null if the service sends no such body. */
  eventId?: string | null
  secret: string
  now: number
  headers: Record<string, string>
  /** Exact text. A body that isn't text is in `bodyBase64` instead. */
  body?: string
  bodyBase64?: string
}

export const deliveryId = 'awFJrKkMOL3jxH9iawFJrKkMOL3jxH9e'
export const eventId = '6b0149aca90c38bde3c47f62'

/** A vector's default secret, then the secrets after one and two rotations. */
export const secret = '84432cccd985fa567be32c6c93fa77de6c367a92a95fc52bcd275bc97f7745c3'
export const newerSecret = '0b6f1c4de2a95b7f38d0c4417ae6f1529d3b8e70c5a2f4961e8d7b3a0c9f5e24'
export const newestSecret = 'd7e1a3905c8b42f6917e0dab35c6f8142b9d7e50a1c3f6842e9b0d7c5a8f1e36'
export const now = 1_795_246_509
export const hmac = (key: string | Buffer, signed: string | Buffer): Buffer =>
  createHmac('sha256', key).update(signed).digest()

/** Returns the signature header. Uses only node:crypto and no code of the service. */
export const sign = (key: string | Buffer, timestamp: string, body: string | Buffer): string =>
  `sha256=${hmac(key, Buffer.concat([Buffer.from(`${timestamp}.`), Buffer.from(body)])).toString('hex')}`

interface Request {
  /** The signed body. */ body: string | Buffer
  eventId?: string | null
  arrived?: string | Buffer
  timestamp?: string
  secret?: string
  /** Replace the genuine headers. Null removes a header. */
  headers?: Record<string, string | null>
}

function vector(valid: boolean, name: string, why: string, request: Request): Vector {
  const { eventId: contained = Buffer.from(request.body).includes(deliveryId) ? eventId : null } = request
  const { body, arrived = body, timestamp = String(now), secret: key = secret, headers } = request
  const genuine = { 'X-Service-Timestamp': timestamp, 'X-Service-Signature': sign(key, timestamp, body) }
  const sent = Object.entries({ ...genuine, ...headers }).filter(([, value]) => value !== null)
  const bytes = Buffer.from(arrived)
  const isText = Buffer.from(bytes.toString('utf8')).equals(bytes)
  const shown = isText ? { body: bytes.toString('utf8') } : { bodyBase64: bytes.toString('base64') }
  return {
    name,
    why,
    valid,
    ...(valid ? { eventId: contained } : {}),
    secret: key,
    now,
    headers: Object.fromEntries(sent) as Record<string, string>,
    ...shown,
  }
}

export const good = (name: string, why: string, request: Request): Vector => vector(true, name, why, request)
export const bad = (name: string, why: string, request: Request): Vector => vector(false, name, why, request)
export const bodyOf = ({ body, bodyBase64 = '' }: Pick<Vector, 'body' | 'bodyBase64'>): Buffer =>
  body === undefined ? Buffer.from(bodyBase64, 'base64') : Buffer.from(body)
