/**
 * All that a span may tell, by its name in log lines: no body, header, address, query, code, PIN or phone number is ever among it. Three go
 * by the names that OpenTelemetry gives them, by which other tools know them.
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

/** Those of the facts that a span tells. */
export function attributesOf(facts: Record<string, unknown>): Record<string, string | number | boolean> {
  const attributes: Record<string, string | number | boolean> = {}
  for (const [fact, name] of Object.entries(names)) {
    const value = facts[fact]
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      attributes[name] = value
  }
  return attributes
}
