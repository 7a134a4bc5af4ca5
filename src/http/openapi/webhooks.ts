import type { EventName } from '../../../schemas/events.ts'
import { deliveryId } from '../../../schemas/responses/webhooks.ts'
import { sampleData } from '../../webhooks/endpoints/sample-data.ts'
import type { DescribedConfig } from './formats.ts'
import { eventBodies } from './names.ts'
import type { Part, SchemaWriter } from './schema.ts'

/** Returns the descriptions of the webhooks that the service sends, one for each event (SPEC 6.2). */
export const webhooksOf = (writer: SchemaWriter, config: DescribedConfig): Part =>
  Object.fromEntries(
    Object.entries(eventBodies).map(([event, body]) => [
      event,
      { post: webhook(config, event as EventName, writer.refer(body)) },
    ]),
  )

/** The pattern of one signature of the Standard Webhooks specification. */
const standard = 'v1,[A-Za-z0-9+/]{43}='

const webhook = (
  { webhookHeaderBrand: brand, webhookTimeoutMs, endpointWarningMs }: DescribedConfig,
  event: EventName,
  schema: Part,
): Part => ({
  operationId: `${event.replaceAll('.', '-')}-event`,
  summary: event,
  description: `${occasions[event].replace('HOURS', String(endpointWarningMs / 3_600_000))} Verify the signature on the raw body before you parse it, and respond with 2xx within ${webhookTimeoutMs / 1000} s. The same \`id\` may arrive more than once.`,
  // Webhooks are authenticated by their signature and contain no API key.
  security: [],
  parameters: [
    {
      ...header(`X-${brand}-Signature`, '^sha256=[0-9a-f]{64}$', 71),
      description:
        '`sha256=` and the HMAC-SHA256, in hex, of `{timestamp}.{raw body}`, with the secret of the endpoint.',
    },
    {
      ...header(`X-${brand}-Signature-Previous`, '^sha256=[0-9a-f]{64}(,sha256=[0-9a-f]{64}){0,4}$', 359),
      description: 'Present for 24 hours after a rotation: the signatures with the previous secrets, newest first.',
      required: false,
    },
    {
      ...header(`X-${brand}-Timestamp`, '^[0-9]{1,15}$', 15),
      description:
        'The time at which this attempt was signed, in Unix seconds. Reject the request if it differs from your clock by more than 300 s.',
    },
    {
      ...header(`X-${brand}-Event`, `^${event.replaceAll('.', String.raw`\.`)}$`, event.length),
      description: 'The name of the event.',
    },
    {
      ...header(`X-${brand}-Event-Id`, '^[0-9a-f]{24}$', 24),
      description:
        'The id of the event, as in the event log. It is not signed, but the first 16 characters of `id` are the same id in base64url.',
    },
    {
      name: 'webhook-id',
      in: 'header',
      required: true,
      schema: deliveryId,
      description: 'Same as `id` in the body. Used by Standard Webhooks libraries.',
    },
    {
      ...header('webhook-timestamp', '^[0-9]{1,15}$', 15),
      description: `Same as \`X-${brand}-Timestamp\`. Used by Standard Webhooks libraries.`,
    },
    {
      ...header('webhook-signature', `^${standard}( ${standard}){0,5}$`, 287),
      description:
        'A signature of `{webhook-id}.{webhook-timestamp}.{raw body}` as in Standard Webhooks. For 24 hours after a rotation, signatures with the previous secrets follow, newest first.',
    },
  ],
  requestBody: {
    required: true,
    content: { 'application/json': { schema, example: exampleOf(event) } },
  },
  responses: {
    '2XX': {
      description: `You received the event. After any other response, or without a response within ${webhookTimeoutMs / 1000} s, the service retries the delivery.`,
    },
  },
})

/** For each event, a sentence that describes what has happened. HOURS stands for ENDPOINT_WARNING_HOURS. */
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
    'All attempts to another webhook endpoint of your business have failed for HOURS hours (FAILING), or one has succeeded since then (RECOVERED). The endpoint that the event is about does not receive it.',
}

const header = (name: string, pattern: string, maxLength: number): Part => ({
  name,
  in: 'header',
  required: true,
  schema: { type: 'string', pattern, maxLength },
})

const at = new Date('2026-11-21T07:35:08.990Z')

/** Returns the same sample event that is sent when a merchant tests an endpoint. */
const exampleOf = (event: EventName): unknown => ({
  id: 'awFJrKkMOL3jxH9wawFJrKkMOL3jxH9e',
  event,
  created_at: at,
  sandbox: true,
  data: JSON.parse(sampleData(event, at)),
})
