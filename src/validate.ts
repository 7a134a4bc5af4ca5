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
  ajv.addVocabulary(['errorCodes'])
  ajv.addFormat('amount', { type: 'number', validate: (n: number) => n >= 1 && n <= config.maxAmount })
  ajv.addFormat('storable-text', isStorable)
  ajv.addFormat('https-url', (text: string) => isRedirectUrl(text, false))
  ajv.addFormat('https-or-localhost-url', (text: string) => isRedirectUrl(text, true))
  ajv.addFormat('phone', (text: string) => readPhone(text) !== null)
  ajv.addFormat('webhook-url', (text: string) => 'url' in checkWebhookUrl(text, rules))
  ajv.addFormat('webhook-event', isEventName)
  ajv.addFormat('date-or-time', (text: string) => readInstant(text, 'start') !== null)
  ajv.addFormat('page-number', (text: string) => /^\d{1,15}$/.test(text) && Number(text) >= 1)
  ajv.addFormat('page-size', (text: string) => /^0*[1-9]\d*$/.test(text))

  return <T>(schema: AnnotatedSchema, value: unknown): T => {
    const isValid = ajv.compile<T>(schema)
    if (isValid(value)) return value
    throw inOneRefusal(schema, isValid.errors ?? [], rules)
  }
}

/** MongoDB would store a lone surrogate as another character, and a NUL in a key breaks it: neither gets in. */
const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

const isEventName = (text: string): text is EventName => Object.hasOwn(events, text)

/** Without user info, and with nothing that the URL parser would silently drop or turn into a slash. */
const absoluteUrl = /^https?:\/\/[^\s\\/?#@\p{Cc}]+([/?#][^\s\\\p{Cc}]*)?$/iu

function isRedirectUrl(text: string, localhostToo: boolean): boolean {
  if (text.length > 2048 || !absoluteUrl.test(text) || !text.isWellFormed()) return false
  const url = parseUrl(text)
  if (url === null) return false
  return url.protocol === 'https:' || (localhostToo && url.hostname === 'localhost')
}

/** The first fault in the order of the schema's fields gives the code; all of them stand in the details. */
function inOneRefusal(schema: AnnotatedSchema, errors: ErrorObject[], rules: UrlRules): Refusal {
  const order = Object.keys(schema.properties)
  // An `if` that fails is told by its branch, and a key's own fault by `propertyNames`.
  const faults = errors
    .filter((error) => error.keyword !== 'if' && error.propertyName === undefined)
    .map((error) => faultOf(error, rules))
    .toSorted((a, b) => order.indexOf(a.param) - order.indexOf(b.param))
    .slice(0, mostFaults)
  const [first] = faults as [FieldFault]
  return refuse(first.code, { param: first.param, details: faults, message: first.message })
}

function faultOf(error: ErrorObject, rules: UrlRules): FieldFault {
  const codes = (error.parentSchema as { errorCodes?: Record<string, ErrorCode> }).errorCodes ?? {}
  const code =
    error.keyword === 'required'
      ? 'VALIDATION_ERROR'
      : (codes[error.keyword] ?? codes['*'] ?? 'VALIDATION_ERROR')
  const missing = error.keyword === 'required' ? String(error.params.missingProperty) : undefined
  const param = error.instancePath.split('/')[1] ?? missing ?? 'body'
  return { param, code, message: messageOf(param, code, error, rules) }
}

function messageOf(param: string, code: ErrorCode, error: ErrorObject, rules: UrlRules): string {
  const checked = error.params.format === 'webhook-url' ? checkWebhookUrl(String(error.data), rules) : null
  if (checked !== null && 'fault' in checked) return checked.fault
  return code === 'VALIDATION_ERROR' ? said(param, error) : catalogue[code][1]
}

function said(param: string, error: ErrorObject): string {
  if (error.keyword === 'required') return `${param} is required.`
  if (Array.isArray(error.data) && error.keyword !== 'minItems') return `${param} must be a single value.`
  if (error.keyword === 'enum')
    return `${param} must be one of ${(error.params.allowedValues as string[]).join(', ')}.`
  if (error.keyword === 'format')
    return `${param} ${formatHints[String(error.params.format)] ?? 'is not valid'}.`
  return `${param} ${error.message}.`
}

const formatHints: Record<string, string> = {
  'storable-text': 'must be valid Unicode without NUL characters',
  phone: 'must be a phone number',
  'date-or-time': 'must be an ISO 8601 date or date-time',
  'page-number': 'must be a whole number from 1 to 999999999999999',
  'page-size': 'must be a whole number of at least 1',
}
