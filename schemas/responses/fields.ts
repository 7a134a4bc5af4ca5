import { currencyCode } from '../currency.ts'
import { eventScopes } from '../events.ts'
import { described, maxPageNumber } from '../requests.ts'

export const objectSchema = (always: Record<string, object>, sometimes: Record<string, object> = {}) => ({
  type: 'object',
  required: Object.keys(always),
  properties: { ...always, ...sometimes },
})

/** The schema must have a single type. */
export const nullableType = <Schema extends { type: string; enum?: readonly unknown[] }>(schema: Schema) => ({
  ...schema,
  type: [schema.type, 'null'],
  ...(schema.enum && { enum: [...schema.enum, null] }),
})
export const nullableSchema = (schema: object) => ({ oneOf: [{ type: 'null' }, schema] })

export const booleanSchema = { type: 'boolean' }
export const enumSchema = (values: readonly string[]) => ({ type: 'string', enum: values })
export const listSchema = (items: object, maxItems: number) => ({ type: 'array', maxItems, items })

export const instantSchema = {
  type: 'string',
  format: 'date-time',
  pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`,
  maxLength: 24,
}
export const nullableInstant = nullableType(instantSchema)
export const maxSafeInteger = Number.MAX_SAFE_INTEGER
export const noNulPattern = String.raw`^[^\u0000]*$`
export const textSchema = (maxLength: number) => ({ type: 'string', maxLength, pattern: noNulPattern })
export const nullableText = (maxLength: number) => nullableType(textSchema(maxLength))
export const patternSchema = (pattern: string, maxLength: number) => ({ type: 'string', pattern, maxLength })
export const urlSchema = { type: 'string', format: 'uri', maxLength: 2048 }
export const integerSchema = (minimum: number, maximum: number) => ({ type: 'integer', minimum, maximum })
export const countSchema = integerSchema(0, maxSafeInteger)
export const nullableCount = nullableType(countSchema)
export const amountSchema = integerSchema(1, maxSafeInteger)
export const priceSchema = { ...countSchema }
export const currencySchema = { type: 'string', const: currencyCode }
export const idSchema = patternSchema('^[0-9a-f]{24}$', 24)
export const intentReferenceSchema = patternSchema('^PI-[0-9A-Z]{16}$', 19)
export const subjectSchema = described(
  'The number of the payment intent (`PI-…`) or order (`OR-…`), or the id of the endpoint.',
  patternSchema('^((PI|OR)-[0-9A-Z]{16}|[0-9a-f]{24})$', 24),
)
export const orderNumberSchema = patternSchema('^OR-[0-9A-Z]{16}$', 19)
export const eventNameSchema = enumSchema(Object.keys(eventScopes))

export const sandboxSchema = described('True for test data, which moves no money.', booleanSchema)

export const deletedSchema = (idName: 'id' | '_id') =>
  objectSchema({ [idName]: idSchema, deleted: { type: 'boolean', const: true } })

export const pageSchema = (item: object) =>
  objectSchema({
    items: listSchema(item, 100),
    page: integerSchema(1, maxPageNumber),
    limit: described('The number of items per page.', integerSchema(1, 100)),
    total: described('The number of items on all pages.', countSchema),
    hasMore: described('Whether there is another page.', booleanSchema),
  })
