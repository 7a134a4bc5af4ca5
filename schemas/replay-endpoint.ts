/** The body of a POST /dev/webhooks/endpoints/{id}/replay request. */
export const replayEndpointBody = {
  type: 'object',
  required: ['from'],
  absenceWidens: ['to', 'events', 'onlyUndelivered', 'dryRun'],
  properties: {
    from: {
      description:
        'Only events that happened at or after this ISO 8601 date or date-time. Without an offset, the time is UTC.',
      type: 'string',
      format: 'date-or-time',
    },
    to: {
      description:
        'Only events that happened at or before this ISO 8601 date or date-time. A date means the end of that day. The default is now.',
      type: 'string',
      format: 'date-or-time',
    },
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
