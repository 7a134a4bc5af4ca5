import { createHmac, createSecretKey } from 'node:crypto'
import type { Deps } from '../../platform/deps.ts'
import type { Delivery } from '../deliveries/delivery.ts'
import { eventIdOf } from '../deliveries/delivery-job.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { signingSecrets } from '../endpoints/signing-secrets.ts'

/**
 * Returns `sha256=` followed by the hex-encoded HMAC-SHA256 of `{timestamp}.{body}`, using the endpoint's secret as the
 * key (SPEC 6.3).
 */
export const signature = (secret: string, timestamp: string, body: string): string =>
  `sha256=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`

/**
 * Returns the signature of the Standard Webhooks specification: `v1,` followed by the base64-encoded HMAC-SHA256 of
 * `{id}.{timestamp}.{body}`. Unlike the key of `signature`, its key is the 32 bytes that the secret encodes. Node signs
 * four times faster with a `KeyObject` than with a buffer.
 */
function standardSignature(secret: string, id: string, timestamp: string, body: string): string {
  const key = createSecretKey(secret, 'hex')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`
}

const timestampOf = (at: Date): string => String(Math.floor(at.getTime() / 1000))

/**
 * Returns the headers for one attempt (SPEC 6.2) without its signatures. They depend only on stored values, so the
 * headers of an earlier attempt can be shown again. `brand` is the word that the header names contain. The timestamp is
 * the time of the attempt in seconds, so that an endpoint can reject old requests. The headers of the Standard Webhooks
 * specification have fixed names.
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
 * Returns the headers for one attempt. The second parameter contains the current secret, followed by the secrets that
 * were replaced less than 24 hours ago. The signatures made with replaced secrets are sent in a separate header. The
 * `webhook-signature` header contains the signatures of all these secrets.
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
    'webhook-signature': secrets.map((each) => standardSignature(each, delivery._id, timestamp, body)).join(' '),
  }
}

/**
 * The unsealed secrets of each endpoint object. An endpoint is read only once per batch of attempts, so its secrets are
 * also unsealed only once per batch.
 */
const unsealed = new WeakMap<object, ReturnType<typeof signingSecrets>>()

/** Returns the signed headers for an attempt at a delivery that starts at `now`. */
export function signFor(
  deps: Pick<Deps, 'config' | 'secrets'>,
  endpoint: Pick<Endpoint, '_id' | 'secret' | 'previousSecrets'>,
  delivery: Pick<Delivery, '_id' | 'event'>,
  body: string,
  now: Date,
): Record<string, string> {
  const secrets = unsealed.get(endpoint) ?? signingSecrets(deps.secrets, endpoint, now)
  unsealed.set(endpoint, secrets)
  return signedHeaders(deps.config.webhookHeaderBrand, secrets, delivery, body, now)
}
