import { events } from '../events.ts'

/** An object with these fields always, and those sometimes. */
export const objectOf = (always: Record<string, object>, sometimes: Record<string, object>) => ({
  type: 'object',
  required: Object.keys(always),
  properties: { ...always, ...sometimes },
})

/** The same, or null. */
export const orNull = (schema: object) => ({ oneOf: [{ type: 'null' }, schema] })

export const instant = {
  type: 'string',
  format: 'date-time',
  pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`,
  maxLength: 24,
}
export const instantOrNull = { ...instant, type: ['string', 'null'] }
/** The largest integer that every JSON parser reads exactly. */
export const largestExact = Number.MAX_SAFE_INTEGER
/** Any text that is stored: NUL is refused. */
export const withoutNul = String.raw`^[^\u0000]*$`
/** Text of so many Unicode code points. */
export const text = (maxLength: number) => ({ type: 'string', maxLength, pattern: withoutNul })
export const textOrNull = (maxLength: number) => ({ ...text(maxLength), type: ['string', 'null'] })
/** A string of this form; `maxLength` is that of the longest one. */
export const shaped = (pattern: string, maxLength: number) => ({ type: 'string', pattern, maxLength })
export const url = { type: 'string', format: 'uri', maxLength: 2048 }
export const count = { type: 'integer', minimum: 0, maximum: largestExact }
export const countOrNull = { ...count, type: ['integer', 'null'] }
/** Centimes, where nothing may be free. */
export const amount = { ...count, minimum: 1 }
/** Centimes of something that may be given away. */
export const price = { ...count }
export const currency = { type: 'string', const: 'MRU' }
export const id = shaped('^[0-9a-f]{24}$', 24)
export const reference = shaped('^PI-[0-9A-Z]{16}$', 19)
export const orderNumber = shaped('^OR-[0-9A-Z]{16}$', 19)
export const eventName = { type: 'string', enum: Object.keys(events) }
export const sandbox = {
  type: 'boolean',
  description: 'Whether a test key made it: then no money moves.',
}

/** A field with what it says. */
export const saying = (description: string, schema: object) => ({ ...schema, description })

/** What a deletion answers; `name` is how the thing calls its id. */
export const deletedBy = (name: 'id' | '_id') =>
  objectOf({ [name]: id, deleted: { type: 'boolean', const: true } }, {})
