import { Ajv, type ErrorObject } from 'ajv'
import type { JSONSchema } from 'json-schema-to-ts'
import { areHeadersWithin, headerNameFault, isHeaderValue } from '../../schemas/custom-header.ts'
import { eventScopes, maxFeedWaitSeconds } from '../../schemas/events.ts'
import type { SchemaValue } from '../../schemas/requests.ts'
import type { Config } from '../config/config.ts'
import { type AnnotatedSchema, refuseFields } from './field-faults.ts'
import { readInstant } from './instant.ts'
import { keepKnownFields } from './known-fields.ts'
import { type NameKind, normaliseName } from './name.ts'
import { readPhone } from './phone.ts'
import { hasUserInfo, judgeWebhookUrl, readAbsoluteUrl } from './webhook-url.ts'

export type Validate = <Schema extends AnnotatedSchema>(schema: Schema, value: unknown) => Valid<Schema>
type Valid<Schema> = Schema extends JSONSchema ? SchemaValue<Schema> : unknown

export type Limits = Pick<Config, 'maxAmount' | 'webhookAllowedHosts' | 'webhookHeaderBrand'>

/** A variable, because Ajv passes only the value to formats. */
let config: Limits

const isAmountFrom = (least: number) => ({
  type: 'number' as const,
  validate: (amount: number) => amount >= least && amount <= config.maxAmount,
})
const digits = /^\d{1,15}$/

/** MongoDB replaces lone surrogates, and can't store a key with NUL. */
export const isStorableText = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** In a CSV file, whitespace would look like an empty field. */
const isWritten = (text: string): boolean => isStorableText(text) && /\S/.test(text)

const formats = {
  amount: isAmountFrom(1),
  price: isAmountFrom(0),
  'storable-text': isStorableText,
  'written-text': isWritten,
  'written-or-empty-text': (text: string) => text === '' || isWritten(text),
  'https-url': (text: string) => isRedirectUrl(text, false),
  'https-or-localhost-url': (text: string) => isRedirectUrl(text, true),
  phone: (text: string) => readPhone(text) !== null,
  'webhook-url': (text: string) => 'url' in judgeWebhookUrl(text, config.webhookAllowedHosts),
  'header-name': (text: string) => headerNameFault(text, config.webhookHeaderBrand) === null,
  'header-value': isHeaderValue,
  'webhook-event': (text: string) => Object.hasOwn(eventScopes, text),
  'date-or-time': (text: string) => readInstant(text, 'start') !== null,
  centimes: digits,
  'page-number': (text: string) => digits.test(text) && Number(text) >= 1,
  'entry-number': digits,
  'page-size': /^0*[1-9]\d*$/,
  'wait-seconds': (text: string) => /^\d{1,2}$/.test(text) && Number(text) <= maxFeedWaitSeconds,
}

const ajv = new Ajv({
  allErrors: true,
  verbose: true,
  strictRequired: false,
  strictNumbers: false,
  // Compiling the meta-schema takes 60 ms. A test checks the schemas instead.
  validateSchema: false,
  // Without optimisation, compiling takes a third less time.
  code: { optimize: false },
  formats,
  keywords: ['errorCodes', 'message', 'absenceWidens', 'emptyIsAbsent'],
})
  .addKeyword({ keyword: 'headersWithin', type: 'object', validate: areHeadersWithin })
  .addKeyword({
    keyword: 'normalise',
    type: 'string',
    before: 'maxLength',
    modifying: true,
    validate(kind: NameKind, typed: string, _schema, context) {
      const name = normaliseName(kind, typed)
      if (name !== null && context !== undefined)
        Object.assign(context.parentData, { [context.parentDataProperty]: name })
      return name !== null
    },
  })

export const createValidate =
  (limits: Limits): Validate =>
  <Schema extends AnnotatedSchema>(schema: Schema, value: unknown): Valid<Schema> => {
    config = limits
    const faults: ErrorObject[] = []
    const fields = keepKnownFields(schema, value, faults)
    const isValid = ajv.compile<Valid<Schema>>(schema)
    if (isValid(fields) && faults.length === 0) return fields
    throw refuseFields(schema, [...faults, ...(isValid.errors ?? [])], limits)
  }

function isRedirectUrl(text: string, localhostToo: boolean): boolean {
  const url = hasUserInfo(text) ? null : readAbsoluteUrl(text)
  return url?.protocol === 'https:' || (localhostToo && url?.hostname === 'localhost')
}
