import { keptBytes } from '../sender/send.ts'

/**
 * The fields of an event's `data` that support staff may see. Support staff must not see any other fields. In
 * particular, they must not see an order's customer, or a payment's metadata and short code.
 */
const shownToStaff: ReadonlySet<string> = new Set([
  '_id',
  'reference_number',
  'number',
  'status',
  'items',
  'total',
  'amount',
  'currency',
  'paid_at',
  'payer_phone',
  'commission',
  'failure',
  'refund',
  'created_at',
  'endpoint_id',
  'url',
  'failing_since',
  'recovered_at',
  'last_error',
  'last_response_status',
])

/**
 * A hidden value with at least this many characters is recognised anywhere in a response, even if the response contains
 * it with different spaces or punctuation. Shorter values are recognised only as separate words.
 */
const shortestValue = 6

/**
 * Creates a filter for the responses to one delivery. `body` is the delivery's body. The filter returns the part of a
 * response that support staff may see. It returns null if the response repeats hidden data from the event, either an
 * entire value, regardless of its spacing, or a single word from a value. A word that also occurs in another part of
 * the event, such as a field name, does not count as hidden.
 */
export function createResponseFilter(body: string): (response: string) => string | null {
  const { data, ...envelope } = JSON.parse(body) as { data: Record<string, unknown> }
  const shown = Object.entries(data).filter(([field]) => shownToStaff.has(field))
  const hidden = Object.entries(data).filter(([field]) => !shownToStaff.has(field))
  const fields = [...Object.keys(data), ...hidden.flatMap(([, value]) => Object.keys(value ?? {}))]
  const known = new Set(wordsOf(folded(JSON.stringify([envelope, shown, fields, true, false, null]))))
  const values = hidden.flatMap(([, value]) => textsIn(value)).map(folded)
  const words = new Set(
    values.flatMap((value) => wordsOf(withoutHosts(value))).filter((word) => !known.has(word)),
  )
  const runs = values.map(runOf).filter((run) => run.length >= shortestValue)
  return (response) => {
    const text = folded(decoded(response))
    const run = joined(text)
    const isPrivate = wordsOf(text).some((word) => words.has(word)) || runs.some((each) => run.includes(each))
    return isPrivate ? null : withoutCutWord(response)
  }
}

/** Returns all strings in a JSON value, including those in nested objects and arrays. */
const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** Decodes JSON escapes and URL escapes, because an endpoint may repeat a value in either of these forms. */
const decoded = (text: string): string =>
  text
    .replace(/\\u([0-9a-f]{4})/gi, (_escape, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\\[bfnrt]/g, ' ')
    .replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString())

/** Converts a text to lower case and removes its accents, so that `AÏCHA` becomes `aicha`. */
const folded = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

/** Removes host names, which reveal nothing about a customer and occur in many error pages. */
const withoutHosts = (text: string): string => text.replace(/@\S*|\bhttps?:\/\/[^/\s]*/g, ' ')

/**
 * Returns only words of at least three letters and numbers of at least four digits, because shorter ones such as `of`
 * and `500` occur everywhere.
 */
const wordsOf = (text: string): string[] => text.match(/\p{L}{3,}|\p{N}{4,}/gu) ?? []

const joined = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, '')

/**
 * Removes spaces and punctuation, and shortens a phone number to its last eight digits, so that the number is also
 * recognised without its country code.
 */
const runOf = (text: string): string => joined(text).replace(/^\d+(?=\d{8}$)/, '')

/**
 * Removes the last word of a truncated response. That word could be the beginning of a phone number, which the filter
 * would not recognise.
 */
const withoutCutWord = (response: string): string =>
  Buffer.byteLength(response) > keptBytes - 4 ? response.replace(/[\p{L}\p{N}]+$/u, '…') : response
