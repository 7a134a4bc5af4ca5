import type { Request, Response } from 'express'
import express from 'express'
import { type Refusal, refuse } from '../errors.ts'

/** The largest legal create is some 175 KB when every character is escaped. */
const largestBody = 256 * 1024
/** No body of ours nests deeper; deeper ones could overflow the stack of whatever walks them. */
const deepest = 8

const readRaw = express.raw({ type: () => true, limit: largestBody, inflate: false })
const asUtf8 = new TextDecoder('utf-8', { fatal: true })

/** A body that was read, or why it could not be; judged only after the idempotency key was (order of checks, 11). */
export type Body = { value: unknown } | { refusal: Refusal }

/** Reads the whole body, bounded, and parses it as JSON. No body at all is an empty object. */
export async function readBody(req: Request, res: Response): Promise<Body> {
  // Told by the length alone; otherwise all of it would be read before the answer.
  if (Number(req.headers['content-length']) > largestBody)
    return { refusal: refuse('PAYLOAD_TOO_LARGE', { headers: { Connection: 'close' } }) }
  // Any other expectation was refused before (listen.ts).
  if (req.headers.expect !== undefined) res.writeContinue()
  const refusal = await new Promise<Refusal | null>((resolve, reject) => {
    readRaw(req, res, (error: unknown) => {
      if (error === undefined || error === null) return resolve(null)
      const known = bodyRefusal(error)
      if (known === null) reject(error)
      else resolve(known)
    })
  })
  if (refusal !== null) return { refusal }
  const bytes: unknown = req.body
  if (!(bytes instanceof Buffer) || bytes.length === 0) return { value: {} }
  if (!isJsonType(req.headers['content-type'])) return { refusal: refuse('UNSUPPORTED_MEDIA_TYPE') }
  return parse(bytes)
}

/** What body-parser's own errors mean in the catalogue; null for one that is not the caller's fault. */
export function bodyRefusal(error: unknown): Refusal | null {
  const { type, status } = error as { type?: string; status?: number }
  if (type === 'entity.too.large') return refuse('PAYLOAD_TOO_LARGE')
  if (type === 'encoding.unsupported' || status === 415) return refuse('UNSUPPORTED_MEDIA_TYPE')
  if (type === 'request.aborted' || type === 'request.size.invalid') return refuse('INVALID_JSON')
  return null
}

function isJsonType(header: string | undefined): boolean {
  const [type = '', ...parameters] = (header ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))
  return type === 'application/json' && (charset === undefined || /^charset="?utf-?8"?$/.test(charset))
}

function parse(bytes: Buffer): Body {
  try {
    const value: unknown = JSON.parse(asUtf8.decode(bytes))
    return isShallow(value, deepest)
      ? { value }
      : { refusal: refuse('INVALID_JSON', { message: 'The body nests too deeply.' }) }
  } catch {
    return { refusal: refuse('INVALID_JSON') }
  }
}

/** JSON.parse copes with any depth; walks of ours would not. This one stops at the limit. */
function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((each) => isShallow(each, levels - 1))
}
