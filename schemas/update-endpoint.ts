import { createEndpointBody } from './create-endpoint.ts'

/** Body of PUT /dev/webhooks/endpoints/{id}: any of these fields, validated as in a create request (SPEC 4.8). */
export const updateEndpointBody = {
  type: 'object',
  properties: {
    ...createEndpointBody.properties,
    active: { description: 'Whether the service sends events to the endpoint.', type: 'boolean' },
  },
} as const

export interface UpdateEndpointBody {
  url?: string
  events?: string[]
  active?: boolean
}
