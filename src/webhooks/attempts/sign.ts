import { createHmac } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { signingSecrets } from '../endpoints/signing-secrets.ts'

/** `sha256=` and the hex HMAC-SHA256 of `{timestamp}.{body}` under the endpoint's secret (SPEC 6.3). */
export const signature = (secret: string, timestamp: string, body: string): string =>
  `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`

/**
 * The headers of one attempt (SPEC 6.2). The time is that of the attempt, in seconds, so that a receiver can refuse
 * an old one; `brand` is the neutral word in their names. `secrets`: the current one, then those that a rotation replaced
 * less than 24 hours ago, whose signatures stand in a header of their own.
 */
export function signedHeaders(
  brand: string,
  [secret, ...previous]: readonly [current: string, ...previous: string[]],
  event: string,
  body: string,
  now: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const older = previous.map((each) => signature(each, timestamp, body)).join(',')
  return {
    'Content-Type': 'application/json',
    [`X-${brand}-Signature`]: signature(secret, timestamp, body),
    ...(older === '' ? {} : { [`X-${brand}-Signature-Previous`]: older }),
    [`X-${brand}-Timestamp`]: timestamp,
    [`X-${brand}-Event`]: event,
  }
}

/** The headers of an attempt at this endpoint that begins at `now`. */
export const signFor = (
  deps: Pick<Deps, 'config' | 'secrets'>,
  endpoint: Pick<Endpoint, '_id' | 'secret' | 'previousSecrets'>,
  event: string,
  body: string,
  now: Date,
): Record<string, string> =>
  signedHeaders(deps.config.webhookHeaderBrand, signingSecrets(deps.secrets, endpoint, now), event, body, now)
