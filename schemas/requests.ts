import type { FromSchema, JSONSchema } from 'json-schema-to-ts'

/** Validation removes all fields that the schema doesn't name. */
export type SchemaValue<Schema extends JSONSchema> = Known<FromSchema<Schema>>

type Known<Value> = Value extends readonly (infer Item)[]
  ? Known<Item>[]
  : Value extends object
    ? { [Field in keyof Value as string extends Field ? NamedBy<Value, Field> : Field]: Known<Value[Field]> }
    : Value
/** Drops an index signature, unless the schema sets `additionalProperties`. */
type NamedBy<Value, Field extends keyof Value> = unknown extends Value[Field] ? never : Field

export const described = <const Schema extends object>(description: string, schema: Schema) =>
  ({ ...schema, description }) as const

export const storableText = (maxLength: number) =>
  ({ type: 'string', maxLength, format: 'storable-text' }) as const

export const normalisedText = (normalise: 'name' | 'reference', maxLength: number) =>
  ({ type: 'string', maxLength, normalise }) as const

export const maxPageNumber = 999_999_999_999_999

/** A repeated parameter becomes an array, so it's invalid. */
export const querySchema = <const Properties extends Record<string, object>>(properties: Properties) =>
  ({ type: 'object', properties, additionalProperties: false }) as const

const pageParams = {
  page: { description: 'The page number, from 1.', type: 'string', format: 'page-number' },
  limit: described('The number of items per page. A number above 100 means 100.', {
    type: 'string',
    format: 'page-size',
  }),
} as const

export const listQuery = <const Filters extends Record<string, object>>(filters: Filters) =>
  querySchema({ ...filters, ...pageParams })
export const pageQuery = listQuery({})

export const emptyQuery = querySchema({})

export type PageQuery = SchemaValue<typeof pageQuery>

export const dateOrTimeSchema = { type: 'string', format: 'date-or-time' } as const

export const spanSchemas = (what: string, note = '') =>
  ({
    from: described(
      `${what} at or after this ISO 8601 date or date-time. Without an offset, the time is UTC.`,
      dateOrTimeSchema,
    ),
    to: described(
      `${what} at or before this ISO 8601 date or date-time. A date means the end of that day.${note}`,
      dateOrTimeSchema,
    ),
  }) as const

export const spanQuery = { type: 'object', properties: spanSchemas('Only items created') } as const

export type SpanQuery = SchemaValue<typeof spanQuery>

const auditName = { type: 'string', maxLength: 200, format: 'storable-text' } as const

const auditPosition = 'must come from the link to the next page. Open the audit trail again'

/** `before` is the position where the previous page ended. */
export const listAuditQuery = {
  type: 'object',
  properties: {
    who: auditName,
    act: auditName,
    subject: auditName,
    business: auditName,
    ...spanQuery.properties,
    before: { type: 'string', pattern: '^-?\\d{1,15}-[^]{1,100}$', message: auditPosition },
  },
} as const
