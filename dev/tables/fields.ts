import { code, tableOf } from '../markdown.ts'
import { openapi, operations, type Schema } from '../openapi-document.ts'

const resolve = (schema: Schema): Schema =>
  schema.$ref ? (openapi.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? schema) : schema

/** Returns the schema inside a list or a nullable field, or else the schema itself. */
function innerOf(schema: Schema): Schema {
  const some = schema.items ?? schema.oneOf?.find((each) => each.type !== 'null') ?? schema
  return resolve(some)
}

function valuesOf({ enum: values }: Schema): string {
  const shown = (values ?? []).filter((value) => value !== null).map((value) => code(`${value}`))
  return shown.length === 0 ? '' : `${shown.join(', ')}.`
}

const isNullable = ({ type, oneOf }: Schema): boolean =>
  type?.includes('null') === true || oneOf?.some((each) => each.type === 'null') === true

function meaningOf(schema: Schema): string {
  const { description = '' } = schema
  const values = valuesOf(schema.items?.enum ? schema.items : schema)
  const isRepeated = values.split(', ').every((value) => description.includes(value.replace(/\.$/, '')))
  const words = [description, isRepeated ? '' : values]
  // The page says that every amount is in centimes. Other names end in their unit.
  return words
    .map((each) => each.replace(/^(Centimes|Milliseconds)\. ?/, ''))
    .filter(Boolean)
    .join(' ')
}

interface Field {
  path: string
  meaning: string
  /** Whether the value may be null although the meaning does not say so. */
  mayBeNull: boolean
}

/** Objects whose fields the page on money explains. */
const explainedElsewhere = new Set(['payment.commission', 'refunds[].returnedFees'])

/** The fields of a schema. Those of an object or a list in it follow, as `items[].productId`. */
const fieldsOf = ({ properties = {} }: Schema, prefix = ''): Field[] =>
  Object.entries(properties).flatMap(([name, schema]) => [
    {
      path: prefix + name,
      meaning: meaningOf(schema),
      mayBeNull: isNullable(schema) && !/null/i.test(schema.description ?? ''),
    },
    ...(explainedElsewhere.has(prefix + name)
      ? []
      : fieldsOf(innerOf(schema), `${prefix}${name}${schema.items ? '[]' : ''}.`)),
  ])

/** The fields that the page has already explained: names with their meaning. */
const explained = new Set<string>()

function isNews({ path, meaning }: Field): boolean {
  const key = `${path.split('.').at(-1)} ${meaning.split('. ')[0]?.replace('.', '')}`
  const isNew = meaning !== '' && !explained.has(key)
  explained.add(key)
  return isNew
}

const nameOf = ({ path, mayBeNull }: Field): string => code(path) + (mayBeNull ? ' or null' : '')

/** Returns a table of the fields whose names need an explanation. The page refers to /docs for the others. */
const tableOfFields = (fields: Field[]): string =>
  tableOf(
    ['Field', 'Meaning'],
    fields.filter(isNews).map((field) => [nameOf(field), field.meaning]),
  )

/** The parameters of each list, by name. The guide explains the filters. */
function parameters(): string {
  const lists = operations.filter((one) => one.parameters.some(({ name }) => name === 'page'))
  const filtersOf = ({ parameters: all }: (typeof lists)[number]): string =>
    all
      .filter(({ in: where, name }) => where === 'query' && name !== 'page' && name !== 'limit')
      .map(({ name }) => code(name))
      .join(', ')
  return tableOf(
    ['List', 'Parameters, besides `page` and `limit`'],
    lists.map((list) => [code(list.name), filtersOf(list)]).filter(([, names]) => names !== ''),
  )
}

/** The fields of an intent, and the parameters of the lists. The page refers to /docs for other objects. */
export function table(): string {
  explained.clear()
  const { Intent: intent } = openapi.components.schemas
  if (intent === undefined) throw new Error('There is no schema Intent')
  return `### Intent\n\n${tableOfFields(fieldsOf(intent))}\n\n### Parameters of lists\n\n${parameters()}`
}
