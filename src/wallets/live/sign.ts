import { createHmac } from 'node:crypto'

/**
 * The parts of a request that are signed. `path` begins with the path of the provider's base URL. `body` is the exact
 * request body, or an empty string for a GET.
 */
export interface Signed {
  /** Unix time in seconds, as sent in the header. */
  timestamp: string
  method: 'GET' | 'POST'
  path: string
  body: string
}

/**
 * Returns `sha256=` followed by the hexadecimal HMAC-SHA256 of the timestamp, the method, the path and the body, joined
 * by line feeds. The first three parts never contain a line feed, so two different requests can never produce the same
 * signed string.
 */
export function signature(key: string, { timestamp, method, path, body }: Signed): string {
  const text = [timestamp, method, path, body].join('\n')
  return `sha256=${createHmac('sha256', key).update(text).digest('hex')}`
}
