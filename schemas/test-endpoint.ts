import { createEndpointBody } from './create-endpoint.ts'

/** Body of POST /dev/webhooks/endpoints/{id}/test (SPEC 4.8). */
export const testEndpointBody = {
  type: 'object',
  properties: {
    event: {
      ...createEndpointBody.properties.events.items,
      description: "Defaults to the endpoint's first event.",
    },
  },
} as const

export interface TestEndpointBody {
  event?: string
}
