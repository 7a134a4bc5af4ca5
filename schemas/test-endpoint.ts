import { createEndpointBody } from './create-endpoint.ts'

/** Body of POST /dev/webhooks/endpoints/{id}/test (SPEC 4.8). */
export const testEndpointBody = {
  type: 'object',
  properties: {
    event: {
      ...createEndpointBody.properties.events.items,
      description: "The endpoint's first where nothing is said.",
    },
  },
} as const

export interface TestEndpointBody {
  event?: string
}
