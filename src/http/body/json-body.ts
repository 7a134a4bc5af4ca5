import { type Refusal, refuse } from '../../platform/errors.ts'

/** `refusal` is thrown only after the idempotency key is checked. */
export interface ParsedBody {
  value?: unknown
  params?: unknown
  refusal?: Refusal
}

/** Deeper nesting could overflow the stack in recursive code. */
export const maxJsonNesting = 8

const asUtf8 = new TextDecoder('utf-8', { fatal: true })

/** MongoDB would store -0 as a double. */
const mayBeMinusZero = /-0|-[\d.]+e-/i
const withoutMinusZero = (_name: string, value: unknown): unknown => (value === 0 ? 0 : value)

/** A missing body counts as an empty object. */
export function readJsonBody(bytes: Buffer, contentType: string | undefined): ParsedBody {
  if (bytes.length === 0) return { value: {}, params: {} }
  if (!isJsonType(contentType)) return { refusal: refuse('UNSUPPORTED_MEDIA_TYPE') }
  const body = parseJson(bytes)
  if (isShallow(body.value, maxJsonNesting)) return body
  const message = `The body can have at most ${maxJsonNesting} levels of nesting.`
  return { refusal: refuse('INVALID_JSON', { message }) }
}

export function isJsonType(contentType: string | undefined): boolean {
  const { type, isUtf8 } = parseMediaType(contentType)
  return type === 'application/json' && isUtf8
}

export function parseMediaType(header: string | undefined): { type: string; isUtf8: boolean } {
  const [type = '', ...parameters] = (header ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))
  return { type, isUtf8: charset === undefined || /^charset="?utf-?8"?$/.test(charset) }
}

/** The value may be too deeply nested for recursive code. */
export function parseJson(bytes: Buffer): ParsedBody {
  try {
    const text = asUtf8.decode(bytes)
    const value: unknown = JSON.parse(text, mayBeMinusZero.test(text) ? withoutMinusZero : undefined)
    return { value, params: value }
  } catch {
    return { refusal: refuse('INVALID_JSON') }
  }
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((each) => isShallow(each, levels - 1))
}
