import { keptBytes } from '../sender/send.ts'

/** Never an order's customer, or a payment's metadata and short code. */
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

/** Shorter values are recognised only as separate words. */
const shortestValue = 6

/**
 * Returns null for a response that repeats hidden data of the delivery: a whole value however it's spaced, or a word
 * of it. A word in another part of the event, e.g. a field name, doesn't count.
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

const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** An endpoint may repeat a value with JSON or URL escapes. */
const decoded = (text: string): string =>
  text
    .replace(/\\u([0-9a-f]{4})/gi, (_escape, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\\[bfnrt]/g, ' ')
    .replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString())

/** `AÏCHA` becomes `aicha`. */
const folded = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

/** Host names reveal nothing about a customer and are in many error pages. */
const withoutHosts = (text: string): string => text.replace(/@\S*|\bhttps?:\/\/[^/\s]*/g, ' ')

/** Shorter words and numbers such as `of` and `500` are everywhere. */
const wordsOf = (text: string): string[] => text.match(/\p{L}{3,}|\p{N}{4,}/gu) ?? []

const joined = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, '')

/** Keeps the last eight digits of a phone number, to recognise it without its country code. */
const runOf = (text: string): string => joined(text).replace(/^\d+(?=\d{8}$)/, '')

/** A response that was cut off may end with half a phone number, which the filter wouldn't recognise. */
const withoutCutWord = (response: string): string =>
  Buffer.byteLength(response) > keptBytes - 4 ? response.replace(/[\p{L}\p{N}]+$/u, '…') : response
