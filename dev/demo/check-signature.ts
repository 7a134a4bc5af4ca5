import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

const TOLERANCE_SECONDS = 300

export type Check = { genuine: true; timestamp: string; ageSeconds: number } | { genuine: false; why: string }

/**
 * Checks a webhook as a merchant does (SPEC 6.3): the HMAC-SHA256 of `{timestamp}.{raw body}` under the secret of the
 * endpoint, compared in constant time. The timestamp may differ from now by up to 300 s.
 */
export function checkSignature(secret: string, headers: IncomingHttpHeaders, body: Buffer, now: Date): Check {
  const timestamp = String(headers['x-service-timestamp'])
  const given = Buffer.from(String(headers['x-service-signature']))
  const mac = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
  const expected = Buffer.from(`sha256=${mac}`)
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    return { genuine: false, why: 'the signature does not match' }
  const ageSeconds = Math.floor(now.getTime() / 1000) - Number(timestamp)
  if (Math.abs(ageSeconds) > TOLERANCE_SECONDS) return { genuine: false, why: `the timestamp is ${ageSeconds} s old` }
  return { genuine: true, timestamp, ageSeconds }
}
