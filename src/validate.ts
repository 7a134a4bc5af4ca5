import { Ajv, type ErrorObject } from 'ajv'
import { type EventName, events } from '../schemas/events.ts'
import type { Config } from './config.ts'
import { catalogue, type ErrorCode, type FieldFault, type Refusal, refuse } from './errors.ts'
import { readInstant } from './instant.ts'
import { parseUrl } from './parse-url.ts'
import { readPhone } from './wallets/phone.ts'
import { checkWebhookUrl, type UrlRules } from './webhooks/sender/url.ts'

/** Judges a value by a schema of schemas/ and answers it typed, or throws one refusal that tells every fault. */
export type Validate = <T>(schema: AnnotatedSchema, value: unknown) => T

interface AnnotatedSchema {
  properties: Record<string, object>
}

/** A body that is wrong in a thousand places is told of the first hundred. */
const mostFaults = 100

/** The one validator of requests, with the formats that plain JSON Schema lacks. */
export function createValidate(config: Pick<Config, 'maxAmount' | 'webhookAllowedHosts'>): Validate {
  const rules = { allowedHosts: config.webhookAllowedHosts }
  const ajv = new Ajv({ allErrors: true, verbose: true, strictRequired: false, strictNumbers: false })
  ajv.addVocabulary(['errorCodes', 'says'])
  ajv.addFormat('amount', { type: 'number', validate: (n: number) => n >= 1 && n <= config.maxAmount })
  ajv.addFormat('price', { type: 'number', validate: (n: number) => n >= 0 && n <= config.maxAmount })
  ajv.addFormat('storable-text', isStorable)
  ajv.addFormat('written-text', isWritten)
  ajv.addFormat('written-or-empty-text', (text: string) => text === '' || isWritten(text))
  ajv.addFormat('https-url', (text: string) => isRedirectUrl(text, false))
  ajv.addFormat('https-or-localhost-url', (text: string) => isRedirectUrl(text, true))
  ajv.addFormat('phone', (text: string) => readPhone(text) !== null)
  ajv.addFormat('webhook-url', (text: string) => 'url' in checkWebhookUrl(text, rules))
  ajv.addFormat('webhook-event', isEventName)
  ajv.addFormat('date-or-time', (text: string) => readInstant(text, 'start') !== null)
  ajv.addFormat('page-number', (text: string) => /^\d{1,15}$/.test(text) && Number(text) >= 1)
  ajv.addFormat('page-size', (text: string) => /^0*[1-9]\d*$/.test(text))

  return <T>(schema: AnnotatedSchema, value: unknown): T => {
    const tooLong = arraysTooLong(schema, value)
    const isValid = ajv.compile<T>(schema)
    const isSound = isValid(cutShort(value, tooLong))
    if (isSound && tooLong.length === 0) return value as T
    throw inOneRefusal(schema, [...tooLong, ...(isValid.errors ?? [])], rules)
  }
}

/** MongoDB would store a lone surrogate as another character, and a NUL in a key breaks it: neither gets in. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** Storable, and something to see in it: text of whitespace alone says nothing, and a file could not tell it from none. */
const isWritten = (text: string): boolean => isStorable(text) && /\S/.test(text)

const isEventName = (text: string): text is EventName => Object.hasOwn(events, text)

/** Without user info, and with nothing that the URL parser would silently drop or turn into a slash. */
const absoluteUrl = /^https?:\/\/[^\s\\/?#@\p{Cc}]+([/?#][^\s\\\p{Cc}]*)?$/iu

function isRedirectUrl(text: string, localhostToo: boolean): boolean {
  if (text.length > 2048 || !absoluteUrl.test(text) || !text.isWellFormed()) return false
  const url = parseUrl(text)
  if (url === null) return false
  return url.protocol === 'https:' || (localhostToo && url.hostname === 'localhost')
}

/**
 * The lists of the top level that are longer than they may be, as Ajv tells it. Ajv itself judges each of their items all the same: a
 * body of 256 KiB has 87 000 of them, and takes hundreds of milliseconds in which nobody else is served.
 */
function arraysTooLong({ properties }: AnnotatedSchema, value: unknown): ErrorObject[] {
  const given = (value ?? {}) as Record<string, unknown>
  return Object.entries(properties).flatMap(([name, parentSchema]) => {
    const { maxItems = Number.POSITIVE_INFINITY } = parentSchema as { maxItems?: number }
    const data = given[name]
    if (!Array.isArray(data) || data.length <= maxItems) return []
    const message = `must NOT have more than ${maxItems} items`
    const error = { keyword: 'maxItems', schemaPath: '', params: { limit: maxItems } }
    return [{ ...error, instancePath: `/${name}`, message, parentSchema, data }]
  })
}

/** The same value with no more of those lists than they may have: what else is wrong is told too. */
function cutShort(value: unknown, tooLong: ErrorObject[]): unknown {
  if (tooLong.length === 0) return value
  const cut = tooLong.map(({ instancePath, params, data }) => [
    instancePath.slice(1),
    (data as unknown[]).slice(0, params.limit),
  ])
  return { ...(value as object), ...Object.fromEntries(cut) }
}

/** The first fault in the order of the schema's fields gives the code; all of them stand in the details. */
function inOneRefusal(schema: AnnotatedSchema, errors: ErrorObject[], rules: UrlRules): Refusal {
  // An `if` that fails is told by its branch, and a key's own fault by `propertyNames`.
  const faults = errors
    .filter((error) => error.keyword !== 'if' && error.propertyName === undefined)
    .map((error) => ({ error, ...placeOf(schema, error) }))
    .toSorted((a, b) => inOrder(a.order, b.order))
    .slice(0, mostFaults)
    .map(({ error, param }) => faultOf(param, error, rules))
  const [first] = faults as [FieldFault]
  return refuse(first.code, { param: first.param, details: faults, message: first.message })
}

/** What of a schema names fields: those of an object, and of the objects in an array. */
interface Named {
  properties?: Record<string, Named>
  items?: Named
}

/** Which field is at fault, as deep as the schema names fields (`variants[1].price`), and where it stands in the schema's order. */
function placeOf(schema: AnnotatedSchema, error: ErrorObject): { param: string; order: number[] } {
  const missing = error.keyword === 'required' ? [String(error.params.missingProperty)] : []
  const order: number[] = []
  let param = ''
  let here: Named = schema
  for (const step of [...error.instancePath.split('/').slice(1), ...missing]) {
    const isItem = here.items?.properties !== undefined
    const next: Named | undefined = isItem ? here.items : here.properties?.[step]
    if (next === undefined) break
    order.push(isItem ? Number(step) : Object.keys(here.properties ?? {}).indexOf(step))
    if (isItem) param += `[${step}]`
    else param += param === '' ? step : `.${step}`
    here = next
  }
  return { param: param === '' ? 'body' : param, order }
}

function inOrder(a: number[], b: number[]): number {
  const differing = a.findIndex((place, depth) => place !== b[depth])
  return differing === -1 ? a.length - b.length : (a[differing] ?? 0) - (b[differing] ?? -1)
}

function faultOf(param: string, error: ErrorObject, rules: UrlRules): FieldFault {
  const codes = (error.parentSchema as { errorCodes?: Record<string, ErrorCode> }).errorCodes ?? {}
  const code =
    error.keyword === 'required'
      ? 'VALIDATION_ERROR'
      : (codes[error.keyword] ?? codes['*'] ?? 'VALIDATION_ERROR')
  return { param, code, message: messageOf(param, code, error, rules) }
}

function messageOf(param: string, code: ErrorCode, error: ErrorObject, rules: UrlRules): string {
  const checked = error.params.format === 'webhook-url' ? checkWebhookUrl(String(error.data), rules) : null
  if (checked !== null && 'fault' in checked) return checked.fault
  return code === 'VALIDATION_ERROR' ? said(param, error) : catalogue[code][1]
}

/** A schema `says` in its own words what keywords alone tell badly. */
function said(param: string, error: ErrorObject): string {
  const { says } = error.parentSchema as { says?: string }
  if (says !== undefined) return `${param} ${says}.`
  if (error.keyword === 'required') return `${param} is required.`
  if (Array.isArray(error.data) && (error.keyword === 'type' || error.keyword === 'enum'))
    return `${param} must be a single value.`
  if (error.keyword === 'enum')
    return `${param} must be one of ${(error.params.allowedValues as string[]).join(', ')}.`
  if (error.keyword === 'format')
    return `${param} ${formatHints[String(error.params.format)] ?? 'is not valid'}.`
  return `${param} ${error.message}.`
}

const formatHints: Record<string, string> = {
  'storable-text': 'must be valid Unicode without NUL characters',
  'written-text': 'must be valid Unicode without NUL characters, and not blank',
  'written-or-empty-text': 'must be valid Unicode without NUL characters, and not only whitespace',
  'https-url': 'must hold absolute https URLs of at most 2048 characters',
  phone: 'must be a phone number',
  'date-or-time': 'must be an ISO 8601 date or date-time',
  'page-number': 'must be a whole number from 1 to 999999999999999',
  'page-size': 'must be a whole number of at least 1',
}
