import type { WebhookEvent } from '../../../docs/clients/payments.ts'

/** The word in the names of the webhook headers. */
const headerBrand = 'Service'

/** Headers as Node.js, `fetch` or a test represent them. Names may have any case. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>

export interface SignedWebhook {
  /** The raw body, exactly as it arrived. A parsed and re-encoded body has another signature. */
  body: string | Uint8Array
  headers: WebhookHeaders
  /** The secret of the endpoint, or several secrets of which one must match. */
  secret: string | readonly string[]
  /** How far the signature's time may differ from the clock, in seconds. Defaults to 300. */
  toleranceSeconds?: number | undefined
  /** The current time, for tests. */
  now?: Date | undefined
}

/** The error for a webhook that is not genuine. Respond with 400, and do not use the body. */
export class WebhookVerificationError extends Error {
  readonly code: 'INVALID_TIMESTAMP' | 'TIMESTAMP_OUT_OF_TOLERANCE' | 'SIGNATURE_MISMATCH' | 'INVALID_JSON'

  constructor(code: WebhookVerificationError['code'], message: string) {
    super(message)
    this.name = 'WebhookVerificationError'
    this.code = code
  }
}

/**
 * Verifies that a webhook comes from the service, and returns its event. Throws WebhookVerificationError if it does
 * not. The comparison takes the same time for every wrong signature. It uses WebCrypto, which all runtimes have, so it
 * is asynchronous. The same event may arrive more than once: recognise it by its `eventId`, which is signed.
 */
export async function verifyWebhook(webhook: SignedWebhook): Promise<WebhookEvent & { eventId: string }> {
  const { body, headers, secret, toleranceSeconds = 300, now = new Date() } = webhook
  const secrets = typeof secret === 'string' ? [secret] : secret
  if (secrets.length === 0 || secrets.includes('')) throw new TypeError('secret must not be empty.')
  const timestamp = headerOf(headers, 'Timestamp')
  if (!/^\d{1,12}$/.test(timestamp))
    throw new WebhookVerificationError(
      'INVALID_TIMESTAMP',
      `The header X-${headerBrand}-Timestamp is missing or malformed.`,
    )
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > toleranceSeconds)
    throw new WebhookVerificationError(
      'TIMESTAMP_OUT_OF_TOLERANCE',
      `The webhook was signed more than ${toleranceSeconds} s before or after the time of this clock.`,
    )
  const given = `${headerOf(headers, 'Signature')},${headerOf(headers, 'Signature-Previous')}`
  const signatures = given.split(',').flatMap((each) => /^sha256=([0-9a-f]{64})$/.exec(each.trim())?.[1] ?? [])
  const signed = signedBytes(timestamp, body)
  for (const each of secrets)
    for (const signature of signatures)
      if (await crypto.subtle.verify('HMAC', await hmacKey(encoder.encode(each)), fromHex(signature), signed))
        return withEventId(parse(body))
  throw new WebhookVerificationError(
    'SIGNATURE_MISMATCH',
    'No signature matches. Check the secret, and pass the raw body as it arrived.',
  )
}

/**
 * Returns the headers of a genuine webhook with this body, for tests of your webhook handler. They include those of
 * Standard Webhooks.
 */
export async function signWebhook(webhook: {
  body: string | Uint8Array
  secret: string
  /** In Unix seconds. Defaults to the current time. */
  timestamp?: number | undefined
}): Promise<Record<string, string>> {
  const { body, secret, timestamp = Math.floor(Date.now() / 1000) } = webhook
  const { id, event } = parse(body)
  const digest = await hmacOf(encoder.encode(secret), signedBytes(String(timestamp), body))
  // Standard Webhooks signs with the bytes of the secret. A secret of the service is in hex.
  const standard = /^([0-9a-f]{2})+$/.test(secret)
    ? await hmacOf(fromHex(secret), signedBytes(`${id}.${timestamp}`, body))
    : null
  return {
    'Content-Type': 'application/json',
    [`X-${headerBrand}-Timestamp`]: String(timestamp),
    [`X-${headerBrand}-Signature`]: `sha256=${toHex(digest)}`,
    [`X-${headerBrand}-Event`]: event,
    [`X-${headerBrand}-Event-Id`]: eventIdOf({ id }),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    ...(standard === null ? {} : { 'webhook-signature': `v1,${btoa(String.fromCharCode(...standard))}` }),
  }
}

/**
 * Returns the id of the event, both from the body of a webhook and from the event log. Store each event under this id,
 * and you recognise it however it arrives. The id of a delivery encodes it in its first half, so it is signed.
 */
export function eventIdOf({ id }: { id: string }): string {
  if (!/^[\w-]{32}$/.test(id)) return id
  const half = atob(id.slice(0, 16).replaceAll('-', '+').replaceAll('_', '/'))
  return toHex(Array.from(half, (character) => character.charCodeAt(0)))
}

function withEventId(event: WebhookEvent): WebhookEvent & { eventId: string } {
  const eventId = eventIdOf({ id: String(Object(event).id) })
  if (/^[0-9a-f]{24}$/.test(eventId)) return { ...event, eventId }
  throw new WebhookVerificationError('INVALID_JSON', 'The body is not an event: its `id` is not one of the service.')
}

const toHex = (bytes: number[]): string => bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')

function headerOf(headers: WebhookHeaders, ending: string): string {
  const name = `x-${headerBrand}-${ending}`.toLowerCase()
  if (headers instanceof Headers) return headers.get(name) ?? ''
  return Object.entries(headers)
    .filter(([each]) => each.toLowerCase() === name)
    .flatMap(([, value]) => value ?? [])
    .join(',')
}

function parse(body: string | Uint8Array): WebhookEvent {
  try {
    return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)) as WebhookEvent
  } catch {
    throw new WebhookVerificationError('INVALID_JSON', 'The body is not JSON.')
  }
}

const encoder = new TextEncoder()

function signedBytes(prefix: string, body: string | Uint8Array) {
  const start = encoder.encode(`${prefix}.`)
  const rest = typeof body === 'string' ? encoder.encode(body) : body
  const bytes = new Uint8Array(start.length + rest.length)
  bytes.set(start)
  bytes.set(rest, start.length)
  return bytes
}

const hmacKey = (key: ReturnType<typeof fromHex>) =>
  crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])

async function hmacOf(key: ReturnType<typeof fromHex>, signed: ReturnType<typeof signedBytes>) {
  return Array.from(new Uint8Array(await crypto.subtle.sign('HMAC', await hmacKey(key), signed)))
}

const fromHex = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
