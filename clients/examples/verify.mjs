import { createHmac, timingSafeEqual } from 'node:crypto'

// headers: req.headers, or Object.fromEntries(request.headers). rawBody: a Buffer. now: Date.now() / 1000
// Returns the event's id, or null if the webhook is not genuine.
export function verify(secret, headers, rawBody, now) {
  const timestamp = headers['x-service-timestamp'] ?? ''
  if (!secret || !/^\d{1,12}$/.test(timestamp) || Math.abs(now - Number(timestamp)) > 300) return null
  const digest = createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest('hex')
  const expected = Buffer.from(`sha256=${digest}`)
  const given = [headers['x-service-signature'], headers['x-service-signature-previous']].join(',')
  const isGenuine = given.split(',').some((one) => {
    const bytes = Buffer.from(one.trim())
    return bytes.length === expected.length && timingSafeEqual(bytes, expected)
  })
  return isGenuine ? eventIdOf(rawBody) : null
}

// A delivery's `id` is signed, and begins with the event's id in base64url. `listen` sends the event's id itself.
function eventIdOf(rawBody) {
  try {
    const id = String(JSON.parse(rawBody).id)
    const eventId = /^[\w-]{32}$/.test(id) ? Buffer.from(id.slice(0, 16), 'base64url').toString('hex') : id
    return /^[0-9a-f]{24}$/.test(eventId) ? eventId : null
  } catch {
    return null
  }
}
