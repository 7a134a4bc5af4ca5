import { type Refusal, refuse } from '../../platform/errors.ts'

/**
 * A parsed body, or the error for an unreadable one. `value` is the operation's input. `params` is compared in order to
 * detect whether an idempotency key is being reused for a different request. The error is thrown only after the key has
 * been checked (step 11 in the order of checks, docs/maintainers/decisions.md).
 */
export type Body = { value: unknown; params: unknown } | { refusal: Refusal }

/** The maximum nesting depth of a body. A deeper body could overflow the stack in recursive code. */
export const maxNesting = 8

const asUtf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Matches JSON that may parse to -0: either `-0` itself, or a negative number with a negative exponent, which may be
 * rounded to -0.
 */
const mayBeMinusZero = /-0|-[\d.]+e-/i
/** Replaces -0 with 0, because MongoDB would store -0 as a double. */
const withoutMinusZero = (_name: string, value: unknown): unknown => (value === 0 ? 0 : value)

/** Reads a JSON body. A missing body is treated as an empty object. */
export function readJson(bytes: Buffer, contentType: string | undefined): Body {
  if (bytes.length === 0) return { value: {}, params: {} }
  if (!isJsonType(contentType)) return { refusal: refuse('UNSUPPORTED_MEDIA_TYPE') }
  const body = parseJson(bytes)
  return 'refusal' in body || isShallow(body.value, maxNesting)
    ? body
    : {
        refusal: refuse('INVALID_JSON', {
          message: `The body can have at most ${maxNesting} levels of nesting.`,
        }),
      }
}

export function isJsonType(contentType: string | undefined): boolean {
  const { type, isUtf8 } = mediaTypeOf(contentType)
  return type === 'application/json' && isUtf8
}

/**
 * Parses a Content-Type header. Returns the media type in lower case, and whether the charset is UTF-8, which is the
 * default.
 */
export function mediaTypeOf(header: string | undefined): { type: string; isUtf8: boolean } {
  const [type = '', ...parameters] = (header ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))
  return { type, isUtf8: charset === undefined || /^charset="?utf-?8"?$/.test(charset) }
}

/** Parses JSON of any nesting depth. Callers must not walk the result recursively. */
export function parseJson(bytes: Buffer): Body {
  try {
    const text = asUtf8.decode(bytes)
    const value: unknown = JSON.parse(text, mayBeMinusZero.test(text) ? withoutMinusZero : undefined)
    return { value, params: value }
  } catch {
    return { refusal: refuse('INVALID_JSON') }
  }
}

/**
 * Whether a value is nested at most `levels` levels deep. The recursion stops at that depth, so it cannot overflow the
 * stack.
 */
function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((each) => isShallow(each, levels - 1))
}
