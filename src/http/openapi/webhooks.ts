import { eventBodySchemas } from '../../../schemas/event-bodies.ts'
import type { EventName } from '../../../schemas/events.ts'
import { patternSchema } from '../../../schemas/responses/fields.ts'
import { deliveryIdSchema } from '../../../schemas/responses/webhooks.ts'
import examples from './examples.json' with { type: 'json' }
import type { DescribedConfig } from './formats.ts'
import { type OpenApiPart, type SchemaWriter } from './schemas.ts'

export interface WebhookExample {
  headers: Record<string, string>
  body: unknown
}

const recorded: Record<string, WebhookExample> = examples.events

export const toOpenApiWebhooks = (writer: SchemaWriter, config: DescribedConfig): OpenApiPart =>
  Object.fromEntries(
    Object.entries(eventBodySchemas).map(([event, body]) => [
      event,
      { post: webhook(config, event as EventName, writer.refer(body)) },
    ]),
  )

const standard = 'v1,[A-Za-z0-9+/]{43}='

function webhook(config: DescribedConfig, event: EventName, schema: OpenApiPart): OpenApiPart {
  const { webhookHeaderBrand: brand, webhookTimeoutMs, endpointWarningMs } = config
  const seconds = webhookTimeoutMs / 1000
  const occasion = occasions[event].replace('HOURS', String(endpointWarningMs / 3_600_000))
  const { headers = {}, body } = recorded[event] ?? {}
  const header = (name: string, schemaOfText: object, description: string, required = true): OpenApiPart => ({
    name: name.replace('BRAND', brand),
    in: 'header',
    required,
    schema: schemaOfText,
    description,
    example: headers[name.replace('BRAND', 'service').toLowerCase()],
  })
  return {
    operationId: `${event.replaceAll('.', '-')}-event`,
    summary: event,
    description: `${occasion} Verify the signature of the raw body before you parse it, and respond with 2xx within ${seconds} s. The same \`id\` may arrive more than once.`,
    security: [],
    parameters: [
      header(
        'X-BRAND-Signature',
        patternSchema('^sha256=[0-9a-f]{64}$', 71),
        "`sha256=` and the hex HMAC-SHA256 of `{timestamp}.{raw body}`, keyed with the endpoint's secret.",
      ),
      header(
        'X-BRAND-Signature-Previous',
        patternSchema('^sha256=[0-9a-f]{64}(,sha256=[0-9a-f]{64}){0,4}$', 359),
        'The signatures with the previous secrets, newest first. Sent for 24 hours after a rotation.',
        false,
      ),
      header(
        'X-BRAND-Timestamp',
        unixSeconds,
        'The time at which this attempt was signed, in Unix seconds. Reject the request if this time differs from your clock by more than 300 s.',
      ),
      header(
        'X-BRAND-Event',
        patternSchema(`^${event.replaceAll('.', String.raw`\.`)}$`, event.length),
        'The name of the event.',
      ),
      header(
        'X-BRAND-Event-Id',
        patternSchema('^[0-9a-f]{24}$', 24),
        "The id of the event, as in the event log. It is not signed, but the first 16 characters of the body's `id` are the same id in base64url.",
      ),
      header(
        'webhook-id',
        deliveryIdSchema,
        'Same as `id` in the body. Used by Standard Webhooks libraries.',
      ),
      header(
        'webhook-timestamp',
        unixSeconds,
        `Same as \`X-${brand}-Timestamp\`. Used by Standard Webhooks libraries.`,
      ),
      header(
        'webhook-signature',
        patternSchema(`^${standard}( ${standard}){0,5}$`, 287),
        'A signature of `{webhook-id}.{webhook-timestamp}.{raw body}` as in Standard Webhooks. For 24 hours after a rotation, signatures with the previous secrets follow, newest first.',
      ),
    ],
    requestBody: { required: true, content: { 'application/json': { schema, example: body } } },
    responses: {
      '2XX': {
        description: `You received the event. After any other response, or none within ${seconds} s, the service retries the delivery.`,
      },
    },
  }
}

const unixSeconds = patternSchema('^[0-9]{1,15}$', 15)

/** `HOURS` is replaced by ENDPOINT_WARNING_HOURS. */
const occasions: Record<EventName, string> = {
  'payment.created': 'A payment intent was created.',
  'payment.confirmed': 'The customer paid.',
  'payment.cancelled': 'The payment intent was cancelled.',
  'payment.expired': 'The payment intent was not paid in time and became CANCELLED.',
  'payment.refunded': 'A refund succeeded.',
  'payment.failed':
    'A payment failed. If `failure.retryable` is true, the intent is still PENDING and the customer may try again.',
  'order.new': 'A customer placed an order.',
  'endpoint.failing':
    'All attempts to deliver to another of your webhook endpoints have failed for HOURS hours (FAILING), or one has succeeded since (RECOVERED). That endpoint does not receive this event.',
}
