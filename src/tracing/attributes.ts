/**
 * The attributes that a span may have, by the names of their log fields. They never include a body, header, address,
 * query, payment code, PIN or phone number. Three use OpenTelemetry's standard names.
 */
const names = {
  method: 'http.request.method',
  route: 'http.route',
  status: 'http.response.status_code',
  requestId: 'requestId',
  code: 'code',
  keyId: 'keyId',
  businessId: 'businessId',
  sandbox: 'sandbox',
  replayed: 'replayed',
  reference: 'reference',
  referenceNumber: 'reference',
  deliveryId: 'deliveryId',
  webhookEvent: 'webhookEvent',
  attempts: 'attempts',
  outcome: 'outcome',
  stage: 'stage',
  queue: 'queue',
  jobId: 'jobId',
} as const

/** Returns the log fields that a span may have, under their attribute names. */
export function attributesOf(facts: Record<string, unknown>): Record<string, string | number | boolean> {
  const attributes: Record<string, string | number | boolean> = {}
  for (const [fact, name] of Object.entries(names)) {
    const value = facts[fact]
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      attributes[name] = value
  }
  return attributes
}
