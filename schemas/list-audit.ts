import { spanQuery } from './queries.ts'

const name = { type: 'string', maxLength: 200, format: 'storable-text' } as const

/** `before` is the position at which the previous page of results ended. */
export const listAuditQuery = {
  type: 'object',
  properties: {
    who: name,
    act: name,
    subject: name,
    business: name,
    ...spanQuery.properties,
    before: { type: 'string', pattern: '^-?\\d{1,16}-[^]{1,100}$' },
  },
} as const
