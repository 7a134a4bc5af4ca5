import { pageQuery, queryOf } from './page.ts'
import type { ValueOf } from './value-of.ts'

/** The query parameters of GET /dev/webhooks. */
export const listEndpointsQuery = queryOf({
  sandbox: {
    description: 'The environment. Defaults to that of the key. Only a live key can list both.',
    type: 'string',
    enum: ['true', 'false'],
  },
  ...pageQuery.properties,
})

export type ListEndpointsQuery = ValueOf<typeof listEndpointsQuery>
