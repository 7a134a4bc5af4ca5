import { described, listQuerySchema, type SchemaValue, spanSchemas } from './requests.ts'

const eventNames = {
  type: 'array',
  minItems: 1,
  // There are fewer events, but a request may repeat them.
  maxItems: 100,
  items: { type: 'string', format: 'webhook-event', errorCodes: { format: 'INVALID_WEBHOOK_EVENT' } },
} as const

export const createEndpointBody = {
  type: 'object',
  required: ['url', 'events'],
  properties: {
    url: described('An https URL with a public host name. The port must be 443, or 1024 or above.', {
      type: 'string',
      format: 'webhook-url',
      errorCodes: { '*': 'INVALID_WEBHOOK_URL' },
    }),
    events: { description: 'The events that the endpoint receives.', ...eventNames },
  },
} as const

export const updateEndpointBody = {
  type: 'object',
  properties: {
    ...createEndpointBody.properties,
    active: described('Whether the service sends events to the endpoint. A new endpoint is active.', {
      type: 'boolean',
    }),
  },
} as const

export const testEndpointBody = {
  type: 'object',
  properties: {
    event: {
      ...eventNames.items,
      description: 'The event to send. Defaults to the first event of the endpoint.',
    },
  },
} as const

export const replayEndpointBody = {
  type: 'object',
  required: ['from'],
  absenceWidens: ['to', 'events', 'onlyUndelivered', 'dryRun'],
  properties: {
    ...spanSchemas('Only events that happened', ' The default is now.'),
    events: described(
      'Replays only these events. Defaults to every event the endpoint subscribes to.',
      eventNames,
    ),
    onlyUndelivered: described('If true, deliveries that your endpoint has accepted are left out.', {
      type: 'boolean',
    }),
    dryRun: { description: 'If true, the events are only counted, and the status is 200.', type: 'boolean' },
  },
} as const

export const listEndpointsQuery = listQuerySchema({
  sandbox: described('The environment. Defaults to that of the key. Only a live key can choose.', {
    type: 'string',
    enum: ['true', 'false'],
  }),
})

export type ListEndpointsQuery = SchemaValue<typeof listEndpointsQuery>
