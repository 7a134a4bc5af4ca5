import { spanOf } from './span.ts'

/** The body of a POST /dev/webhooks/endpoints/{id}/replay request. */
export const replayEndpointBody = {
  type: 'object',
  required: ['from'],
  absenceWidens: ['to', 'events', 'onlyUndelivered', 'dryRun'],
  properties: {
    ...spanOf('Only events that happened', ' The default is now.'),
    events: {
      description: 'Only these events. The default is all events that the endpoint is subscribed to.',
      type: 'array',
      minItems: 1,
      maxItems: 100,
      items: { type: 'string', format: 'webhook-event', errorCodes: { format: 'INVALID_WEBHOOK_EVENT' } },
    },
    onlyUndelivered: {
      description: 'If true, deliveries that your endpoint has accepted are left out.',
      type: 'boolean',
    },
    dryRun: { description: 'If true, the events are only counted, and the status is 200.', type: 'boolean' },
  },
} as const
