import { createEndpointBody } from './create-endpoint.ts'
/**
 * The body of a PUT /dev/webhooks/endpoints/{id} request (SPEC 4.8). The body may contain any of these fields. Each
 * field is validated as in a create request.
 */
export const updateEndpointBody = {
  type: 'object',
  properties: {
    ...createEndpointBody.properties,
    active: {
      description: 'Whether the service sends events to the endpoint. A new endpoint is active.',
      type: 'boolean',
    },
  },
} as const
