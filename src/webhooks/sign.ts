import { createHmac } from 'node:crypto'

/** `sha256=` and the hex HMAC-SHA256 of `{timestamp}.{body}` under the endpoint's secret (SPEC 6.3). */
export const signature = (secret: string, timestamp: string, body: string): string =>
  `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`

/**
 * The headers of one attempt (SPEC 6.2). The time is that of the attempt, in seconds, so that a receiver can refuse
 * an old one; `brand` is the neutral word in their names.
 */
export function signedHeaders(
  brand: string,
  secret: string,
  event: string,
  body: string,
  now: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000))
  return {
    'Content-Type': 'application/json',
    [`X-${brand}-Signature`]: signature(secret, timestamp, body),
    [`X-${brand}-Timestamp`]: timestamp,
    [`X-${brand}-Event`]: event,
  }
}
