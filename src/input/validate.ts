import { Ajv, type ErrorObject } from 'ajv'
import type { JSONSchema } from 'json-schema-to-ts'
import { type EventName, events, maxWaitSeconds } from '../../schemas/events.ts'
import type { ValueOf } from '../../schemas/requests.ts'
import type { Config } from '../config/config.ts'
import { readUrl } from '../platform/url.ts'
import { type AnnotatedSchema, inOneRefusal } from './field-faults.ts'
import { readInstant } from './instant.ts'
import { readFields } from './known-fields.ts'
import { isLonger, type NameKind, readName } from './name.ts'
import { readPhone } from './phone.ts'
import { judgeUrl } from './webhook-url.ts'

/** Returns the value with only its known fields, or throws a single error that lists all faults. */
export type Validate = <Schema extends AnnotatedSchema>(schema: Schema, value: unknown) => Valid<Schema>
type Valid<Schema> = Schema extends JSONSchema ? ValueOf<Schema> : unknown

type Limits = Pick<Config, 'maxAmount' | 'webhookAllowedHosts'>

/** Limits of the running validation, which is synchronous. Ajv passes nothing but the value to formats. */
let config: Limits

function createAjv(): Ajv {
  const made = new Ajv({
    allErrors: true,
    verbose: true,
    strictRequired: false,
    strictNumbers: false,
    // A test validates the schemas, because compiling the validator of JSON Schema itself takes 60 ms.
    validateSchema: false,
    // Schemas are compiled on first use, which takes a third less time without optimising.
    code: { optimize: false },
  })
  made.addVocabulary(['errorCodes', 'message', 'absenceWidens', 'emptyIsAbsent'])
  made.addKeyword({
    keyword: 'normalise',
    type: 'string',
    // The length limit applies to the text as it is stored.
    before: 'maxLength',
    modifying: true,
    validate(kind: NameKind, typed: string, _schema, context) {
      const name = readName(kind, typed)
      if (name !== null && context !== undefined)
        Object.assign(context.parentData, { [context.parentDataProperty]: name })
      return name !== null
    },
  })
  made.addFormat('amount', { type: 'number', validate: (n: number) => n >= 1 && n <= config.maxAmount })
  made.addFormat('price', { type: 'number', validate: (n: number) => n >= 0 && n <= config.maxAmount })
  made.addFormat('storable-text', isStorable)
  made.addFormat('written-text', isWritten)
  made.addFormat('written-or-empty-text', (text: string) => text === '' || isWritten(text))
  made.addFormat('https-url', (text: string) => isRedirectUrl(text, false))
  made.addFormat('https-or-localhost-url', (text: string) => isRedirectUrl(text, true))
  made.addFormat('phone', (text: string) => readPhone(text) !== null)
  made.addFormat('webhook-url', (text: string) => 'url' in judgeUrl(text, config.webhookAllowedHosts))
  made.addFormat('webhook-event', isEventName)
  made.addFormat('date-or-time', (text: string) => readInstant(text, 'start') !== null)
  made.addFormat('centimes', (text: string) => /^\d{1,15}$/.test(text))
  made.addFormat('page-number', (text: string) => /^\d{1,15}$/.test(text) && Number(text) >= 1)
  made.addFormat('entry-number', (text: string) => /^\d{1,15}$/.test(text))
  made.addFormat('page-size', (text: string) => /^0*[1-9]\d*$/.test(text))
  made.addFormat('wait-seconds', (text: string) => /^\d{1,2}$/.test(text) && Number(text) <= maxWaitSeconds)
  return made
}

export const createValidate =
  (limits: Limits): Validate =>
  <Schema extends AnnotatedSchema>(schema: Schema, value: unknown): Valid<Schema> => {
    config = limits
    const faults: ErrorObject[] = []
    const fields = readFields(schema, value, faults)
    const isValid = ajv.compile<Valid<Schema>>(schema)
    if (isValid(fields) && faults.length === 0) return fields
    throw inOneRefusal(schema, [...faults, ...(isValid.errors ?? [])], limits.webhookAllowedHosts)
  }

/** MongoDB replaces lone surrogates, and can't store a key with NUL. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** A CSV file couldn't distinguish text that is only whitespace from an empty field. */
const isWritten = (text: string): boolean => isStorable(text) && /\S/.test(text)

const isEventName = (text: string): text is EventName => Object.hasOwn(events, text)

/** Excludes user info, and characters that the URL parser would silently drop or convert to a slash. */
const absoluteUrl = /^https?:\/\/[^\s\\/?#@\p{Cc}]+([/?#][^\s\\\p{Cc}]*)?$/iu

function isRedirectUrl(text: string, localhostToo: boolean): boolean {
  if (isLonger(text, 2048) || !absoluteUrl.test(text) || !text.isWellFormed()) return false
  const url = readUrl(text)
  if (url === null) return false
  return url.protocol === 'https:' || (localhostToo && url.hostname === 'localhost')
}

/** One instance for the process, with formats that JSON Schema doesn't define. */
const ajv = createAjv()
