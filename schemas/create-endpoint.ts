/**
 * Body of POST /dev/webhooks/endpoints (SPEC 4.8). The formats check that the URL is public and that the events exist.
 */
export const createEndpointBody = {
  type: 'object',
  required: ['url', 'events'],
  properties: {
    url: {
      description: 'An https URL with a public host name. The port must be 443, or 1024 or above.',
      type: 'string',
      format: 'webhook-url',
      errorCodes: { '*': 'INVALID_WEBHOOK_URL' },
    },
    events: {
      description: 'The events that the endpoint receives.',
      type: 'array',
      minItems: 1,
      // Duplicates are allowed.
      maxItems: 100,
      items: { type: 'string', format: 'webhook-event', errorCodes: { format: 'INVALID_WEBHOOK_EVENT' } },
    },
  },
} as const

export interface CreateEndpointBody {
  url: string
  events: string[]
}
