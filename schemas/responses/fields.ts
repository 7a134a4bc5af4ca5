import { currencyCode } from '../currency.ts'
import { events } from '../events.ts'
import { described, maxPage } from '../requests.ts'

export const objectOf = (always: Record<string, object>, sometimes: Record<string, object> = {}) => ({
  type: 'object',
  required: Object.keys(always),
  properties: { ...always, ...sometimes },
})

/** The schema must have a single type. For a named schema, use `nullable`. */
export const orNull = <Schema extends { type: string; enum?: readonly unknown[] }>(schema: Schema) => ({
  ...schema,
  type: [schema.type, 'null'],
  ...(schema.enum && { enum: [...schema.enum, null] }),
})
export const nullable = (schema: object) => ({ oneOf: [{ type: 'null' }, schema] })

export const booleanSchema = { type: 'boolean' }
export const oneOf = (values: readonly string[]) => ({ type: 'string', enum: values })
export const listOf = (items: object, maxItems: number) => ({ type: 'array', maxItems, items })

export const instant = {
  type: 'string',
  format: 'date-time',
  pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`,
  maxLength: 24,
}
export const largestExact = Number.MAX_SAFE_INTEGER
export const withoutNul = String.raw`^[^\u0000]*$`
export const textUpTo = (maxLength: number) => ({ type: 'string', maxLength, pattern: withoutNul })
export const textOrNull = (maxLength: number) => orNull(textUpTo(maxLength))
export const textMatching = (pattern: string, maxLength: number) => ({ type: 'string', pattern, maxLength })
export const urlSchema = { type: 'string', format: 'uri', maxLength: 2048 }
export const integerSchema = (minimum: number, maximum: number) => ({ type: 'integer', minimum, maximum })
export const count = integerSchema(0, largestExact)
export const amountSchema = integerSchema(1, largestExact)
export const priceSchema = { ...count }
export const currencySchema = { type: 'string', const: currencyCode }
export const idSchema = textMatching('^[0-9a-f]{24}$', 24)
export const intentReferenceSchema = textMatching('^PI-[0-9A-Z]{16}$', 19)
/** Identifies an intent, an order or an endpoint. */
export const subjectReference = textMatching('^((PI|OR)-[0-9A-Z]{16}|[0-9a-f]{24})$', 24)
export const orderNumber = textMatching('^OR-[0-9A-Z]{16}$', 19)
export const eventName = oneOf(Object.keys(events))

export const sandboxSchema = described('True for test data, with which no money moves.', booleanSchema)

export const deletedSchema = (idName: 'id' | '_id') =>
  objectOf({ [idName]: idSchema, deleted: { type: 'boolean', const: true } })

export const pageSchema = (item: object) =>
  objectOf({
    items: listOf(item, 100),
    page: integerSchema(1, maxPage),
    limit: described(
      'The number of items per page. A requested limit above 100 becomes 100.',
      integerSchema(1, 100),
    ),
    total: described('The number of items on all pages.', count),
    hasMore: described('Whether there is another page.', booleanSchema),
  })
