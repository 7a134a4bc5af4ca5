import { createHmac } from 'node:crypto'

/**
 * The signed parts of a request. `path` includes the path of the base URL. `body` is the exact text, empty for a GET.
 */
export interface Signed {
  /** Unix time in seconds, as in the header. */
  timestamp: string
  method: 'GET' | 'POST'
  path: string
  body: string
}

/**
 * Returns `sha256=` and the hex HMAC-SHA256 of timestamp, method, path and body, joined by line feeds. The first three
 * contain no line feed, so two different requests never have the same signed text.
 */
export function signature(key: string, { timestamp, method, path, body }: Signed): string {
  const text = [timestamp, method, path, body].join('\n')
  return `sha256=${createHmac('sha256', key).update(text).digest('hex')}`
}
