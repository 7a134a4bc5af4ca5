import { reservedHeaders } from '../../../schemas/custom-header.ts'
import { eventScopes, maxFeedWaitSeconds } from '../../../schemas/events.ts'
import { maxPageNumber } from '../../../schemas/requests.ts'
import { noNulPattern } from '../../../schemas/responses/fields.ts'
import type { Config } from '../../config/config.ts'
import { privateSuffixes } from '../../input/webhook-url.ts'

export type DescribedConfig = Pick<
  Config,
  | 'publicUrl'
  | 'supportContacts'
  | 'maxAmount'
  | 'webhookHeaderBrand'
  | 'webhookTimeoutMs'
  | 'endpointWarningMs'
>

const afterHost = String.raw`([/?#][^\s\\]*)?$`
const host = String.raw`[^\s\\/?#@]+`
/** Non-ASCII characters are allowed after the host. */
const url = (pattern: string) => ({ format: 'iri', maxLength: 2048, pattern })

const label = '[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?'
/** JSON Schema patterns can't ignore case. */
const anyCase = (word: string): string =>
  word.replaceAll(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)
const isPrivate = `(${[...privateSuffixes].map(anyCase).join('|')})`
const lastLabel = String.raw`(?!${isPrivate}\.?([:/?#]|$))([A-Za-z]{2,63}|[Xx][Nn]--[A-Za-z0-9-]{1,59})\.?`
const publicPort =
  '(443|102[4-9]|10[3-9][0-9]|1[1-9][0-9]{2}|[2-9][0-9]{3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])'

/** The service accepts more separators than these (src/input/phone.ts). */
const separators = '[ ./-]*'
/** Arabic and Persian digits too. */
const digit = (from: number): string => {
  const sets = [0x30, 0x660, 0x6f0].map((zero) => [from, 9].map((each) => String.fromCodePoint(zero + each)))
  return `[${sets.map((ends) => ends.join('-')).join('')}]`
}
const digits = (least: number, most: number) => `(${separators}${digit(0)}){${least},${most}}`
const countryCode = `[2٢۲]${separators}[2٢۲]${separators}[2٢۲]`
const prefix = '(\\+|[0٠۰]{2})'
const phone = [
  `${digit(1)}${digits(7, 7)}`,
  `${prefix}?${separators}${countryCode}${digits(8, 8)}`,
  `${prefix}${separators}(?!${countryCode})${digit(1)}${digits(9, 14)}`,
  `(?!${countryCode})${digit(1)}${digits(8, 14)}`,
]

const headerToken = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const reservedPattern = (brand: string): string =>
  reservedHeaders(brand)
    .map((name) => (name.endsWith('*') ? anyCase(name.slice(0, -1)) : `${anyCase(name)}$`))
    .join('|')

const control = String.raw`\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f`
const printable = String.raw`^\s*[^\s${control}][^${control}]*$`

/** Describes each custom format as exactly as OpenAPI allows. */
export const describeFormats = ({
  maxAmount,
  webhookHeaderBrand,
}: DescribedConfig): Record<string, object> => ({
  'date-time': { format: 'date-time' },
  uri: { format: 'uri' },
  iri: { format: 'iri' },
  uuid: { format: 'uuid' },
  amount: { minimum: 1, maximum: maxAmount },
  price: { minimum: 0, maximum: maxAmount },
  name: { pattern: printable },
  reference: { pattern: printable },
  'storable-text': { pattern: noNulPattern },
  'written-text': { pattern: String.raw`^\s*[^\s\u0000][^\u0000]*$` },
  'written-or-empty-text': { pattern: String.raw`^(\s*[^\s\u0000][^\u0000]*)?$` },
  'https-url': url(`^https://${host}${afterHost}`),
  'https-or-localhost-url': url(`^(https://${host}|http://localhost(:[0-9]{1,5})?)${afterHost}`),
  phone: { pattern: `^(${phone.join('|')})$` },
  'webhook-url': url(
    `^https://(?=[^/:?#]{1,253}([/:?#]|$))(${label}\\.)+${lastLabel}(:${publicPort})?${afterHost}`,
  ),
  'header-name': { pattern: `^(?!(${reservedPattern(webhookHeaderBrand)}))${headerToken}$` },
  'header-value': { pattern: '^[!-~]([ -~]*[!-~])?$' },
  'webhook-event': { enum: Object.keys(eventScopes) },
  'date-or-time': {
    type: undefined,
    anyOf: [
      { type: 'string', format: 'date', maxLength: 10 },
      { type: 'string', format: 'date-time', maxLength: 35 },
    ],
  },
  centimes: { type: 'integer', minimum: 0, maximum: 999_999_999_999_999 },
  'page-number': { type: 'integer', minimum: 1, maximum: maxPageNumber, default: 1 },
  'entry-number': { type: 'integer', minimum: 0, maximum: maxPageNumber },
  'page-size': { type: 'integer', minimum: 1, default: 20 },
  'wait-seconds': { type: 'integer', minimum: 0, maximum: maxFeedWaitSeconds, default: 0 },
})
