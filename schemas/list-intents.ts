/** Query of GET /dev/intents (SPEC 4.3). Values are the text of the URL; a repeated parameter is an array and fails. */
export const listIntentsQuery = {
  type: 'object',
  properties: {
    status: { enum: ['PENDING', 'PAID', 'REFUNDED', 'CANCELLED', 'FAILED'] },
    from: { type: 'string', format: 'date-or-time' },
    to: { type: 'string', format: 'date-or-time' },
    page: { type: 'string', format: 'page-number' },
    limit: { type: 'string', format: 'page-size' },
  },
} as const

export interface ListIntentsQuery {
  status?: 'PENDING' | 'PAID' | 'REFUNDED' | 'CANCELLED' | 'FAILED'
  from?: string
  to?: string
  page?: string
  limit?: string
}
