import type { EventName } from './events.ts'
import { described, shaped } from './responses/fields.ts'

/** Returns the schema of an object that must contain all of these fields and may contain no others. */
export const exactly = (properties: Record<string, object>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

export const instant = {
  type: 'string',
  pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`,
  maxLength: 24,
}

/** Returns the schema of a webhook body (SPEC 6.2), which consists of the envelope and the event's data. */
export const eventBody = (event: EventName, data: object) => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  ...exactly({
    id: described(
      'The id of the delivery, the same in every attempt. Its first 16 characters are the id of the event in base64url. In the event log, the id of the event.',
      shaped('^([A-Za-z0-9_-]{32}|[0-9a-f]{24})$', 32),
    ),
    event: { const: event },
    created_at: described('When the event happened.', instant),
    sandbox: described('True for test data, with which no money moves.', { type: 'boolean' }),
    data,
  }),
})
