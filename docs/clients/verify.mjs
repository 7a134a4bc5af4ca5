import { createHmac, timingSafeEqual } from 'node:crypto'

// headers: req.headers, or Object.fromEntries(request.headers). rawBody: a Buffer. now: Date.now() / 1000
export function verify(secret, headers, rawBody, now) {
  const timestamp = headers['x-service-timestamp'] ?? ''
  if (!secret || !/^\d{1,12}$/.test(timestamp) || Math.abs(now - Number(timestamp)) > 300) return false
  const digest = createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest('hex')
  const expected = Buffer.from(`sha256=${digest}`)
  const given = [headers['x-service-signature'], headers['x-service-signature-previous']].join(',')
  return given.split(',').some((one) => {
    const bytes = Buffer.from(one.trim())
    return bytes.length === expected.length && timingSafeEqual(bytes, expected)
  })
}
