import type { ErrorObject } from 'ajv'
import {
  areNamesDistinct,
  headerNameFault,
  maxHeaderCharacters,
  maxHeaderName,
} from '../../schemas/custom-header.ts'
import { eventScopes, maxFeedWaitSeconds } from '../../schemas/events.ts'
import type { Config } from '../config/config.ts'
import { type ErrorCode, errorCatalogue, type FieldFault, type Refusal, refuse } from '../platform/errors.ts'
import { type FieldSchema, findNearestName, maxFieldFaults } from './known-fields.ts'
import { judgeWebhookUrl } from './webhook-url.ts'

type Limits = Pick<Config, 'maxAmount' | 'webhookAllowedHosts' | 'webhookHeaderBrand'>

/** `message` follows the field's name in the error. */
export interface AnnotatedSchema extends FieldSchema {
  properties: Record<string, object>
}

/** The first fault in schema order determines the error code. */
export function refuseFields(schema: AnnotatedSchema, errors: ErrorObject[], limits: Limits): Refusal {
  // Ajv reports an error in an `if` or in `propertyNames` twice.
  const found = errors
    .filter((error) => error.keyword !== 'if' && error.propertyName === undefined)
    .map((error) => ({ error, ...locate(schema, error) }))
    .toSorted((a, b) => compareOrder(a.order, b.order))
    .slice(0, maxFieldFaults)
    .map(({ error, param }) => faultOf(param, error, limits))
  const faults = [...new Map(found.map((fault) => [`${fault.param} ${fault.message}`, fault])).values()]
  const [first] = faults as [FieldFault]
  return refuse(first.code, { param: first.param, details: faults, message: first.message })
}

const maxNameLength = 64
const unprintable = /(?! )[\p{C}\p{Z}]/gu

/** The client chose the name, which might garble a terminal or a log. */
function printableName(name: string): string {
  const characters = Array.from(name)
  const cut = characters.slice(0, maxNameLength).join('')
  const ending = characters.length > maxNameLength ? '…' : ''
  return cut.replaceAll(unprintable, (found) => `\\u{${found.codePointAt(0)?.toString(16)}}`) + ending
}

/** Returns a path such as `variants[1].price`, and its position. */
function locate(schema: AnnotatedSchema, error: ErrorObject): { param: string; order: number[] } {
  const missing = error.keyword === 'required' ? [String(error.params.missingProperty)] : []
  const named = error.keyword === 'propertyNames' ? [String(error.params.propertyName)] : []
  const order: number[] = []
  let param = ''
  let current: FieldSchema = schema
  const path = error.instancePath.split('/').slice(1).map(unescapePointer)
  for (const step of [...path, ...missing, ...named]) {
    const isItem = current.items !== undefined
    const next: FieldSchema | undefined = isItem ? current.items : current.properties?.[step]
    if (next === undefined) {
      if (current.headersWithin !== undefined) param += `.${printableName(step)}`
      break
    }
    order.push(isItem ? Number(step) : Object.keys(current.properties ?? {}).indexOf(step))
    if (isItem) param += `[${step}]`
    else param += param === '' ? step : `.${step}`
    current = next
  }
  // Unknown fields come first, because a typo may explain a missing field.
  if (error.keyword === 'additionalProperties') {
    const name = printableName(String(error.params.additionalProperty))
    return { param: param === '' ? name : `${param}.${name}`, order: [] }
  }
  return { param: param === '' ? 'body' : param, order }
}

const unescapePointer = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~')

function compareOrder(a: number[], b: number[]): number {
  const depth = a.findIndex((position, index) => position !== b[index])
  return depth === -1 ? a.length - b.length : (a[depth] ?? 0) - (b[depth] ?? -1)
}

function faultOf(param: string, error: ErrorObject, limits: Limits): FieldFault {
  const { errorCodes: codes = {} } = error.parentSchema as { errorCodes?: Record<string, ErrorCode> }
  const own = error.keyword === 'required' ? undefined : (codes[error.keyword] ?? codes['*'])
  const code = own ?? 'VALIDATION_ERROR'
  const checked =
    error.params.format === 'webhook-url'
      ? judgeWebhookUrl(String(error.data), limits.webhookAllowedHosts)
      : null
  if (checked !== null && 'fault' in checked) return { param, code, message: checked.fault }
  const nameFault =
    error.keyword === 'propertyNames' && headerNameFault(error.params.propertyName, limits.webhookHeaderBrand)
  if (nameFault) return { param, code, message: `${param} ${nameFault}.` }
  const allowed = describeAllowed(error.params.format, limits)
  if (allowed !== null) return { param, code, message: `${param} must be ${allowed}.` }
  const message = code === 'VALIDATION_ERROR' ? describeFault(param, error) : errorCatalogue[code][1]
  return { param, code, message }
}

function describeAllowed(format: string, { maxAmount }: Limits): string | null {
  if (format === 'webhook-event') return `one of ${Object.keys(eventScopes).join(', ')}`
  if (format === 'amount') return `from 1 to ${maxAmount} centimes`
  return format === 'price' ? `from 0 to ${maxAmount} centimes` : null
}

function describeFault(param: string, error: ErrorObject): string {
  const { message } = error.parentSchema as { message?: string }
  if (error.keyword === 'additionalProperties') return unknownName(param, error)
  if (message !== undefined) return `${param} ${message}.`
  if (error.keyword === 'required') return `${param} is required.`
  if (Array.isArray(error.data) && (error.keyword === 'type' || error.keyword === 'enum'))
    return param === 'body'
      ? 'The body must be a JSON object.'
      : `${param} must be a single value, not a list.`
  if (error.keyword === 'enum')
    return `${param} must be one of ${(error.params.allowedValues as string[]).map(legible).join(', ')}.`
  if (error.params.format === 'date-or-time' && isSpacedOffset(error.data))
    return `${param} has a space before its offset. In a URL, write + as %2B.`
  if (error.keyword === 'headersWithin' && !areNamesDistinct(error.data))
    return `${param} must have names that differ in more than case.`
  if (error.keyword === 'format' || error.keyword === 'normalise')
    return `${param} ${formatHints[String(error.schema)] ?? 'is not valid'}.`
  return `${param} ${sentences[error.keyword]?.(error.params) ?? error.message}.`
}

/** In a query, an unencoded + becomes a space. */
const isSpacedOffset = (value: unknown): boolean => /T\S+ \d{2}:?\d{2}$/.test(String(value))

function unknownName(param: string, { parentSchema, params }: ErrorObject): string {
  const { properties = {}, additionalProperties, absenceWidens = [] } = parentSchema as FieldSchema
  const known = Object.keys(properties)
  if (additionalProperties === false)
    return `Unknown query parameter "${param}". This operation accepts ${known.join(', ') || 'none'}.`
  const nearest = findNearestName([...known, ...absenceWidens], params.additionalProperty)
  const hint = known.includes(nearest ?? '')
    ? `Did you mean ${nearest}? `
    : `${nearest} is a query parameter. `
  return `Unknown field "${param}". ${nearest === undefined ? '' : hint}Known fields: ${known.join(', ')}.`
}

const legible = (value: string): string => (/\w/.test(value) ? value : `"${value}"`)

const sentences: Record<string, (params: { type?: string | string[]; limit?: number }) => string> = {
  type: ({ type = [] }) => `must be ${[type].flat().map(withArticle).join(' or ')}`,
  minLength: ({ limit = 0 }) =>
    limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`,
  maxLength: ({ limit = 0 }) => `can have at most ${limit} characters`,
  minItems: ({ limit = 0 }) => (limit === 1 ? 'must not be empty' : `must have at least ${limit} items`),
  maxProperties: ({ limit = 0 }) => `can have at most ${limit} entries`,
  propertyNames: () => `has more than ${maxHeaderName} characters`,
  headersWithin: () => `can have at most ${maxHeaderCharacters} characters in all`,
  maxItems: ({ limit = 0 }) => `can have at most ${limit} items`,
  minimum: ({ limit = 0 }) => `must be at least ${limit}`,
  maximum: ({ limit = 0 }) => `can be at most ${limit}`,
}

const withArticle = (type: string): string =>
  type === 'null' ? type : `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`

const formatHints: Record<string, string> = {
  name: 'must be valid Unicode without control characters, and must not be blank',
  reference: 'must be valid Unicode without control or invisible characters, and must not be blank',
  'storable-text': 'must be valid Unicode without NUL characters',
  'written-text': 'must be valid Unicode without NUL characters, and must not be blank',
  'written-or-empty-text': 'must be valid Unicode without NUL characters, and must not be only whitespace',
  'https-url': 'must be an absolute https URL of at most 2048 characters, without a user name or password',
  phone: 'must be a phone number, such as 22 12 34 56 or +222 22 12 34 56',
  'header-value': 'must be visible ASCII characters, with spaces only in between',
  'date-or-time': 'must be an ISO 8601 date or date-time, such as 2026-11-21 or 2026-11-21T07:35:08Z',
  centimes: 'must be a whole number of centimes, from 0 to 999999999999999',
  'page-number': 'must be a whole number from 1 to 999999999999999',
  'entry-number': 'must be a whole number from 0 to 999999999999999',
  'page-size': 'must be a whole number of at least 1',
  'wait-seconds': `must be a whole number of seconds, from 0 to ${maxFeedWaitSeconds}`,
}
