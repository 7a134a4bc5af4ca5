/**
 * Maps the log fields that a span may include to the names of their attributes. These fields never include a body,
 * header, address, query, payment code, PIN or phone number. Three attributes use the standard OpenTelemetry names.
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

/** Returns the log fields that a span may include, under their attribute names. */
export function attributesOf(facts: Record<string, unknown>): Record<string, string | number | boolean> {
  const attributes: Record<string, string | number | boolean> = {}
  for (const [fact, name] of Object.entries(names)) {
    const value = facts[fact]
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') attributes[name] = value
  }
  return attributes
}
