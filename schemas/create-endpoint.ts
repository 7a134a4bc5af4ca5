/** Body of POST /dev/webhooks/endpoints (SPEC 4.8). The formats judge whether the URL is public and the events exist. */
export const createEndpointBody = {
  type: 'object',
  required: ['url', 'events'],
  properties: {
    url: {
      description: 'A public host name, on port 443 or one from 1024 on.',
      type: 'string',
      format: 'webhook-url',
      errorCodes: { '*': 'INVALID_WEBHOOK_URL' },
    },
    events: {
      description: 'What it wants to hear of.',
      type: 'array',
      minItems: 1,
      // Many more than there are; naming one twice does no harm.
      maxItems: 100,
      items: { type: 'string', format: 'webhook-event', errorCodes: { format: 'INVALID_WEBHOOK_EVENT' } },
    },
  },
} as const

export interface CreateEndpointBody {
  url: string
  events: string[]
}
