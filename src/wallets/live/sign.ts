import { createHmac } from 'node:crypto'

/** A request as it is signed: `path` with the base URL's own, `body` the exact text, empty for a question. */
export interface Signed {
  /** Unix time in seconds, as in the header. */
  timestamp: string
  method: 'GET' | 'POST'
  path: string
  body: string
}

/**
 * `sha256=` and the hex HMAC-SHA256 of timestamp, method, path and body, a line feed between each two: none of the first three can
 * have one, so no two requests are ever signed as the same text.
 */
export function signature(key: string, { timestamp, method, path, body }: Signed): string {
  const text = [timestamp, method, path, body].join('\n')
  return `sha256=${createHmac('sha256', key).update(text).digest('hex')}`
}
