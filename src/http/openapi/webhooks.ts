import type { EventName } from '../../../schemas/events.ts'
import { sampleData } from '../../webhooks/endpoints/sample-data.ts'
import type { Told } from './formats.ts'
import { eventBodies } from './names.ts'
import type { Part, SchemaWriter } from './schema.ts'

/** The webhooks that the service sends, one for each event (SPEC 6.2). */
export const webhooksOf = (writer: SchemaWriter, told: Told): Part =>
  Object.fromEntries(
    Object.entries(eventBodies).map(([event, body]) => [
      event,
      { post: webhook(told, event as EventName, writer.say(body)) },
    ]),
  )

const webhook = (
  { webhookHeaderBrand: brand, webhookTimeoutMs }: Told,
  event: EventName,
  schema: Part,
): Part => ({
  operationId: `${event.replaceAll('.', '-')}-event`,
  summary: event,
  description: `Check the signature on the raw body before you read it, and respond with 2xx within ${webhookTimeoutMs / 1000} s. The same \`id\` may arrive more than once.`,
  // A webhook is signed; it carries no key.
  security: [],
  parameters: [
    {
      ...header(`X-${brand}-Signature`, '^sha256=[0-9a-f]{64}$', 71),
      description: '`sha256=` and the hex HMAC-SHA256 of `{timestamp}.{raw body}` under your secret.',
    },
    {
      ...header(`X-${brand}-Signature-Previous`, '^sha256=[0-9a-f]{64}(,sha256=[0-9a-f]{64}){0,4}$', 359),
      description: 'For 24 hours after a rotation: the same with each earlier secret, newest first.',
      required: false,
    },
    {
      ...header(`X-${brand}-Timestamp`, '^[0-9]{1,15}$', 15),
      description: 'When this attempt was signed, in Unix seconds. Reject it if it is more than 300 s off.',
    },
    {
      ...header(`X-${brand}-Event`, `^${event.replaceAll('.', String.raw`\.`)}$`, event.length),
      description: 'The name of the event.',
    },
  ],
  requestBody: {
    required: true,
    content: { 'application/json': { schema, example: exampleOf(event) } },
  },
  responses: {
    '2XX': {
      description: `You have received the event. After any other response, or none within ${webhookTimeoutMs / 1000} s, the service retries.`,
    },
  },
})

const header = (name: string, pattern: string, maxLength: number): Part => ({
  name,
  in: 'header',
  required: true,
  schema: { type: 'string', pattern, maxLength },
})

const at = new Date('2026-11-21T07:35:08.990Z')

/** The event that the test of an endpoint sends. */
const exampleOf = (event: EventName): unknown => ({
  id: 'awFJrKkMOL3jxH9wawFJrKkMOL3jxH9e',
  event,
  created_at: at,
  sandbox: true,
  data: JSON.parse(sampleData(event, at)),
})
