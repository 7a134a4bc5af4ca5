import { pageQuery } from './page.ts'
import type { ValueOf } from './value-of.ts'

/**
 * The query parameters of GET /dev/webhooks. All values are strings, because they come from the URL. If a parameter is
 * repeated, its value becomes an array and is therefore invalid.
 */
export const listEndpointsQuery = {
  type: 'object',
  properties: {
    sandbox: {
      description: 'The environment. Defaults to that of the key. Only a live key can list both.',
      type: 'string',
      enum: ['true', 'false'],
    },
    ...pageQuery.properties,
  },
  additionalProperties: false,
} as const

export type ListEndpointsQuery = ValueOf<typeof listEndpointsQuery>
