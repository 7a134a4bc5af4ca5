import { createEndpointBody } from './create-endpoint.ts'
/** The body of a POST /dev/webhooks/endpoints/{id}/test request (SPEC 4.8). */
export const testEndpointBody = {
  type: 'object',
  properties: {
    event: {
      ...createEndpointBody.properties.events.items,
      description: 'The event to send. Defaults to the first event of the endpoint.',
    },
  },
} as const
