import { createHmac, createSecretKey } from 'node:crypto'
import type { Deps } from '../../platform/deps.ts'
import type { Delivery } from '../deliveries/delivery.ts'
import { eventIdOf } from '../deliveries/delivery-job.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { signingSecrets } from '../endpoints/signing-secrets.ts'

/** The signature of SPEC 6.3. Its key is the text of the secret, not the bytes that it encodes. */
export const signature = (secret: string, timestamp: string, body: string): string =>
  `sha256=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`

/**
 * The signature of Standard Webhooks, whose key is the 32 bytes that the secret encodes. Node signs four times faster
 * with a `KeyObject` than with a buffer.
 */
function standardSignature(secret: string, id: string, timestamp: string, body: string): string {
  const key = createSecretKey(secret, 'hex')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`
}

const timestampOf = (at: Date): string => String(Math.floor(at.getTime() / 1000))

/**
 * The headers of SPEC 6.2. They depend only on stored values, so those of an old attempt can be shown again. Endpoints
 * can reject old requests by the timestamp, in seconds. Standard Webhooks has fixed header names.
 */
export function unsignedHeaders(
  brand: string,
  { _id: id, event }: Pick<Delivery, '_id' | 'event'>,
  at: Date,
): Record<string, string> {
  const timestamp = timestampOf(at)
  return {
    'Content-Type': 'application/json',
    [`X-${brand}-Timestamp`]: timestamp,
    [`X-${brand}-Event`]: event,
    [`X-${brand}-Event-Id`]: eventIdOf(id),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
  }
}

/**
 * `secrets` has the current one, then those that were replaced in the last 24 hours. Their signatures go into a header
 * of their own; `webhook-signature` contains all of them.
 */
export function signedHeaders(
  brand: string,
  secrets: readonly [current: string, ...previous: string[]],
  delivery: Pick<Delivery, '_id' | 'event'>,
  body: string,
  at: Date,
): Record<string, string> {
  const [secret, ...previous] = secrets
  const timestamp = timestampOf(at)
  const older = previous.map((each) => signature(each, timestamp, body)).join(',')
  return {
    ...unsignedHeaders(brand, delivery, at),
    [`X-${brand}-Signature`]: signature(secret, timestamp, body),
    ...(older === '' ? {} : { [`X-${brand}-Signature-Previous`]: older }),
    'webhook-signature': secrets
      .map((each) => standardSignature(each, delivery._id, timestamp, body))
      .join(' '),
  }
}

/** Keyed by endpoint object, which is read once per batch, so secrets are decrypted once per batch. */
const decrypted = new WeakMap<object, ReturnType<typeof signingSecrets>>()

export function signedHeadersFor(
  deps: Pick<Deps, 'config' | 'secrets'>,
  endpoint: Pick<Endpoint, '_id' | 'secret' | 'previousSecrets'>,
  delivery: Pick<Delivery, '_id' | 'event'>,
  body: string,
  now: Date,
): Record<string, string> {
  const secrets = decrypted.get(endpoint) ?? signingSecrets(deps.secrets, endpoint, now)
  decrypted.set(endpoint, secrets)
  return signedHeaders(deps.config.webhookHeaderBrand, secrets, delivery, body, now)
}
