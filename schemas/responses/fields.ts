import { currencyCode } from '../currency.ts'
import { events } from '../events.ts'
import { maxPage } from '../queries.ts'

/** Returns the schema of an object. The fields in `always` are required, and the fields in `sometimes` are optional. */
export const objectOf = (always: Record<string, object>, sometimes: Record<string, object> = {}) => ({
  type: 'object',
  required: Object.keys(always),
  properties: { ...always, ...sometimes },
})

/** Returns a schema that accepts null in addition to the values that the given schema accepts. */
export const orNull = (schema: object) => ({ oneOf: [{ type: 'null' }, schema] })

export const instant = {
  type: 'string',
  format: 'date-time',
  pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`,
  maxLength: 24,
}
export const instantOrNull = { ...instant, type: ['string', 'null'] }
/** The largest integer that every JSON parser represents exactly. */
export const largestExact = Number.MAX_SAFE_INTEGER
/** A pattern that matches any string that the service can store, which is any string without a NUL character. */
export const withoutNul = String.raw`^[^\u0000]*$`
/** Returns the schema of a string with at most `maxLength` Unicode code points. */
export const text = (maxLength: number) => ({ type: 'string', maxLength, pattern: withoutNul })
export const textOrNull = (maxLength: number) => ({ ...text(maxLength), type: ['string', 'null'] })
/** Returns the schema of a string that matches `pattern`. `maxLength` is the length of the longest possible match. */
export const shaped = (pattern: string, maxLength: number) => ({ type: 'string', pattern, maxLength })
export const url = { type: 'string', format: 'uri', maxLength: 2048 }
export const urlOrNull = { ...url, type: ['string', 'null'] }
export const count = { type: 'integer', minimum: 0, maximum: largestExact }
export const countOrNull = { ...count, type: ['integer', 'null'] }
/** The schema of an amount in centimes, which is at least 1. */
export const amount = { ...count, minimum: 1 }
/** The schema of a price in centimes. The price of a free product is 0. */
export const price = { ...count }
export const currency = { type: 'string', const: currencyCode }
export const id = shaped('^[0-9a-f]{24}$', 24)
export const reference = shaped('^PI-[0-9A-Z]{16}$', 19)
export const orderNumber = shaped('^OR-[0-9A-Z]{16}$', 19)
export const eventName = { type: 'string', enum: Object.keys(events) }
export const sandbox = {
  type: 'boolean',
  description: 'True for test data, with which no money moves.',
}

/** Returns a copy of the schema with this description added. */
export const described = (description: string, schema: object) => ({ ...schema, description })

/**
 * Returns the schema of the response to a deletion. `name` is the name of the field that contains the id of the deleted
 * object.
 */
export const deletedBy = (name: 'id' | '_id') => objectOf({ [name]: id, deleted: { type: 'boolean', const: true } })

/** Returns the schema of one page of a list (SPEC 4.3). */
export const pageOf = (item: object) =>
  objectOf({
    items: { type: 'array', maxItems: 100, items: item },
    page: { type: 'integer', minimum: 1, maximum: maxPage },
    limit: described('The number of items per page. A requested limit above 100 becomes 100.', {
      type: 'integer',
      minimum: 1,
      maximum: 100,
    }),
    total: described('The number of items on all pages.', count),
    hasMore: described('Whether there is another page.', { type: 'boolean' }),
  })
