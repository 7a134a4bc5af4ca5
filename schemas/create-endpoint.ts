/**
 * The body of a POST /dev/webhooks/endpoints request (SPEC 4.8). The schema uses the `format` keyword to check that the
 * URL is public and that every event exists.
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
      // The limit is higher than the number of events, because the list may contain duplicates.
      maxItems: 100,
      items: { type: 'string', format: 'webhook-event', errorCodes: { format: 'INVALID_WEBHOOK_EVENT' } },
    },
  },
} as const
