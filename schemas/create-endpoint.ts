/** Body of POST /dev/webhooks/endpoints (SPEC 4.8). The formats check that the URL is public and the events exist. */
export const createEndpointBody = {
  type: 'object',
  required: ['url', 'events'],
  properties: {
    url: {
      description: 'An https URL with a public host name, on port 443 or on 1024 and above.',
      type: 'string',
      format: 'webhook-url',
      errorCodes: { '*': 'INVALID_WEBHOOK_URL' },
    },
    events: {
      description: 'The events to send to this endpoint.',
      type: 'array',
      minItems: 1,
      // Far more than there are events. Duplicates are harmless.
      maxItems: 100,
      items: { type: 'string', format: 'webhook-event', errorCodes: { format: 'INVALID_WEBHOOK_EVENT' } },
    },
  },
} as const

export interface CreateEndpointBody {
  url: string
  events: string[]
}
