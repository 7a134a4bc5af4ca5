import type { ErrorObject } from 'ajv'
import { catalogue, type ErrorCode, type FieldFault, type Refusal, refuse } from '../errors.ts'
import { checkWebhookUrl, type UrlRules } from '../webhooks/sender/url.ts'

/** A schema of schemas/: JSON Schema, with `errorCodes` and `says` where a fault has a code or words of its own. */
export interface AnnotatedSchema {
  properties: Record<string, object>
}

/** A body that is wrong in a thousand places is told of the first hundred. */
const mostFaults = 100

/** The first fault in the order of the schema's fields gives the code; all of them stand in the details. */
export function inOneRefusal(schema: AnnotatedSchema, errors: ErrorObject[], rules: UrlRules): Refusal {
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

/** What of a schema names fields: those of an object, and the items of an array. */
interface Named {
  properties?: Record<string, Named>
  items?: Named
}

/** The response truncates longer names of unknown parameters. */
const longestNameShown = 64
const unprintable = /[\p{C}\p{Zl}\p{Zp}]/gu

/** Shortens a name that the caller chose, and escapes characters that would garble a terminal or a log. */
function shownName(name: string): string {
  const characters = Array.from(name)
  const cut = characters.slice(0, longestNameShown).join('')
  const ending = characters.length > longestNameShown ? '…' : ''
  return cut.replaceAll(unprintable, (found) => `\\u{${found.codePointAt(0)?.toString(16)}}`) + ending
}

/** Which field is at fault, as deep as the schema names fields (`variants[1].price`, `events[1]`), and where it stands in the schema's order. */
function placeOf(schema: AnnotatedSchema, error: ErrorObject): { param: string; order: number[] } {
  // Reported first: a mistyped name explains why the right one is missing.
  if (error.keyword === 'additionalProperties')
    return { param: shownName(String(error.params.additionalProperty)), order: [] }
  const missing = error.keyword === 'required' ? [String(error.params.missingProperty)] : []
  const order: number[] = []
  let param = ''
  let here: Named = schema
  for (const step of [...error.instancePath.split('/').slice(1), ...missing]) {
    const isItem = here.items !== undefined
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
  if (error.keyword === 'additionalProperties') return unknownParameter(param, error)
  if (Array.isArray(error.data) && (error.keyword === 'type' || error.keyword === 'enum'))
    return `${param} must be one value, not a list.`
  if (error.keyword === 'enum')
    return `${param} must be one of ${(error.params.allowedValues as string[]).join(', ')}.`
  if (error.keyword === 'format')
    return `${param} ${formatHints[String(error.params.format)] ?? 'is not valid'}.`
  return `${param} ${error.message}.`
}

function unknownParameter(param: string, { parentSchema }: ErrorObject): string {
  const known = Object.keys((parentSchema as AnnotatedSchema).properties).join(', ')
  return `"${param}" is not a query parameter of this operation, which takes ${known === '' ? 'none' : known}.`
}

const formatHints: Record<string, string> = {
  'storable-text': 'must be valid Unicode without NUL characters',
  'written-text': 'must be valid Unicode without NUL characters, and not blank',
  'written-or-empty-text': 'must be valid Unicode without NUL characters, and not only whitespace',
  'https-url': 'must be an absolute https URL of at most 2048 characters',
  phone: 'must be a phone number',
  'date-or-time': 'must be an ISO 8601 date or date-time',
  'page-number': 'must be a whole number from 1 to 999999999999999',
  'page-size': 'must be a whole number of at least 1',
}
