import { maxCustomHeaders, maxHeaderCharacters, maxHeaderName, maxHeaderValue } from './custom-header.ts'
import { described, listQuery, type SchemaValue, spanSchemas } from './requests.ts'

const eventNames = {
  type: 'array',
  minItems: 1,
  // More than there are events, because a request may repeat them.
  maxItems: 100,
  items: { type: 'string', format: 'webhook-event', errorCodes: { format: 'INVALID_WEBHOOK_EVENT' } },
} as const

const headers = {
  maxProperties: maxCustomHeaders,
  propertyNames: { maxLength: maxHeaderName, format: 'header-name' },
  additionalProperties: { type: 'string', maxLength: maxHeaderValue, format: 'header-value' },
  headersWithin: maxHeaderCharacters,
} as const
const headersDescription =
  'Your own headers for every webhook to this endpoint, such as a password of your gateway: in all, at most 4096 characters, with names that differ in more than case. No response contains the values.'

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
    headers: described(headersDescription, { type: 'object', ...headers }),
  },
} as const

export const updateEndpointBody = {
  type: 'object',
  properties: {
    ...createEndpointBody.properties,
    headers: described(
      'Replaces all your headers. Null or `{}` removes them, and so does a URL with another host or port.',
      { type: ['object', 'null'], ...headers },
    ),
    active: {
      description: 'If false, it gets no events, and deliveries that fall due become CANCELLED.',
      type: 'boolean',
    },
  },
} as const

export const testEndpointBody = {
  type: 'object',
  properties: {
    event: { ...eventNames.items, description: "Defaults to the endpoint's first event." },
  },
} as const

export const replayEndpointBody = {
  type: 'object',
  required: ['from'],
  absenceWidens: ['to', 'events', 'onlyUndelivered', 'dryRun'],
  properties: {
    ...spanSchemas('Only events that happened', ' The default is now.'),
    events: described('Only these events. Defaults to all that the endpoint receives.', eventNames),
    onlyUndelivered: described('Leaves out events that your endpoint has accepted.', { type: 'boolean' }),
    dryRun: { description: 'If true, the events are only counted, and the status is 200.', type: 'boolean' },
  },
} as const

export const listEndpointsQuery = listQuery({
  sandbox: {
    description: "Defaults to the key's environment. Only a live key can choose.",
    enum: ['true', 'false'],
  },
})

export type ListEndpointsQuery = SchemaValue<typeof listEndpointsQuery>
