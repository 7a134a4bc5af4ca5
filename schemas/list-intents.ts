/** Every status of an intent (SPEC 3). */
export const statuses = ['PENDING', 'PAID', 'REFUNDED', 'CANCELLED', 'FAILED'] as const
export type Status = (typeof statuses)[number]

/** Query of GET /dev/intents (SPEC 4.3). Values are the text of the URL; a repeated parameter is an array and fails. */
export const listIntentsQuery = {
  type: 'object',
  properties: {
    status: { enum: statuses },
    from: { type: 'string', format: 'date-or-time' },
    to: { type: 'string', format: 'date-or-time' },
    page: { type: 'string', format: 'page-number' },
    limit: { type: 'string', format: 'page-size' },
  },
} as const

export interface ListIntentsQuery {
  status?: Status
  from?: string
  to?: string
  page?: string
  limit?: string
}
