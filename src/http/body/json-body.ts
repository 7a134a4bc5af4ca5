import { refuse } from '../../errors.ts'
import { mediaTypeOf } from './media-type.ts'
import type { Body } from './parsed.ts'

/** No body of ours nests deeper; deeper ones could overflow the stack of whatever walks them. */
export const maxNesting = 8

const asUtf8 = new TextDecoder('utf-8', { fatal: true })

/** Where JSON may say -0: as itself, or as a number too small to be told from it. */
const mayBeMinusZero = /-0|-[\d.]+e-/i
/** Nobody means it, and MongoDB would keep it as no integer. */
const withoutMinusZero = (_name: string, value: unknown): unknown => (value === 0 ? 0 : value)

/** No body at all is an empty object. */
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

/** However deep: what walks it is in danger. */
export function parseJson(bytes: Buffer): Body {
  try {
    const text = asUtf8.decode(bytes)
    const value: unknown = JSON.parse(text, mayBeMinusZero.test(text) ? withoutMinusZero : undefined)
    return { value, params: value }
  } catch {
    return { refusal: refuse('INVALID_JSON') }
  }
}

/** JSON.parse copes with any depth; walks of ours would not. This one stops at the limit. */
function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((each) => isShallow(each, levels - 1))
}
