import { readFileSync } from 'node:fs'

/**
 * A request to an endpoint, and what checking it must return. Merchants test their own programs with these, so the file
 * only grows: each line has its own secret, and `printf %s "$time.$body" | openssl sha256 -hmac "$secret"` signs it.
 */
export interface Vector {
  name: string
  why: string
  valid: boolean
  /** The event's id in the signed body. Null if the service sends no such body. */
  eventId?: string | null
  secret: string
  now: number
  headers: Record<string, string>
  /** Exact text. A body that isn't text is in `bodyBase64` instead. */
  body?: string
  bodyBase64?: string
}

const file = new URL('webhook-signatures.json', import.meta.url)
export const vectors: Vector[] = JSON.parse(readFileSync(file, 'utf8'))
export const bodyOf = ({ body, bodyBase64 = '' }: Pick<Vector, 'body' | 'bodyBase64'>): Buffer =>
  body === undefined ? Buffer.from(bodyBase64, 'base64') : Buffer.from(body)
