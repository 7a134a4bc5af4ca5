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
}
export const instantOrNull = { ...instant, type: ['string', 'null'] }
export const text = { type: 'string' }
export const textOrNull = { type: ['string', 'null'] }
export const count = { type: 'integer', minimum: 0 }
export const countOrNull = { type: ['integer', 'null'], minimum: 0 }
/** Centimes, where nothing may be free. */
export const amount = { type: 'integer', minimum: 1 }
/** Centimes of something that may be given away. */
export const price = { type: 'integer', minimum: 0 }
export const currency = { type: 'string', const: 'MRU' }
export const id = { type: 'string', pattern: '^[0-9a-f]{24}$' }
export const reference = { type: 'string', pattern: '^PI-[0-9A-Z]{16}$' }
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
