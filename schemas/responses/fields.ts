import { currencyCode } from '../currency.ts'
import { events } from '../events.ts'
import { maxPage } from '../queries.ts'

/** Fields in `always` are required, those in `sometimes` optional. */
export const objectOf = (always: Record<string, object>, sometimes: Record<string, object> = {}) => ({
  type: 'object',
  required: Object.keys(always),
  properties: { ...always, ...sometimes },
})

export const nullable = (schema: object) => ({ oneOf: [{ type: 'null' }, schema] })

export const instant = {
  type: 'string',
  format: 'date-time',
  pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`,
  maxLength: 24,
}
export const instantOrNull = { ...instant, type: ['string', 'null'] }
/** Every JSON parser represents integers up to this one exactly. */
export const largestExact = Number.MAX_SAFE_INTEGER
/** We can store any string without a NUL character. */
export const withoutNul = String.raw`^[^\u0000]*$`
/** The length counts Unicode code points. */
export const textUpTo = (maxLength: number) => ({ type: 'string', maxLength, pattern: withoutNul })
export const textOrNull = (maxLength: number) => ({ ...textUpTo(maxLength), type: ['string', 'null'] })
/** `maxLength` is the length of the longest possible match. */
export const textMatching = (pattern: string, maxLength: number) => ({ type: 'string', pattern, maxLength })
export const url = { type: 'string', format: 'uri', maxLength: 2048 }
export const urlOrNull = { ...url, type: ['string', 'null'] }
export const count = { type: 'integer', minimum: 0, maximum: largestExact }
export const countOrNull = { ...count, type: ['integer', 'null'] }
/** Centimes, at least 1. */
export const amount = { ...count, minimum: 1 }
/** Centimes. 0 is a free product. */
export const price = { ...count }
export const currency = { type: 'string', const: currencyCode }
export const id = textMatching('^[0-9a-f]{24}$', 24)
export const reference = textMatching('^PI-[0-9A-Z]{16}$', 19)
export const orderNumber = textMatching('^OR-[0-9A-Z]{16}$', 19)
export const eventName = { type: 'string', enum: Object.keys(events) }
export const sandbox = {
  type: 'boolean',
  description: 'True for test data, with which no money moves.',
}

export const withDescription = (description: string, schema: object) => ({ ...schema, description })

/** `name` is the field with the id of the deleted object. */
export const deletedBy = (name: 'id' | '_id') =>
  objectOf({ [name]: id, deleted: { type: 'boolean', const: true } })

/** See SPEC 4.3.. */
export const pageOf = (item: object) =>
  objectOf({
    items: { type: 'array', maxItems: 100, items: item },
    page: { type: 'integer', minimum: 1, maximum: maxPage },
    limit: withDescription('The number of items per page. A requested limit above 100 becomes 100.', {
      type: 'integer',
      minimum: 1,
      maximum: 100,
    }),
    total: withDescription('The number of items on all pages.', count),
    hasMore: withDescription('Whether there is another page.', { type: 'boolean' }),
  })
