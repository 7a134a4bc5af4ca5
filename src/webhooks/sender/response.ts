import type { IncomingHttpHeaders } from 'node:http'
import { StringDecoder } from 'node:string_decoder'

/**
 * The number of bytes of a response that are stored for the merchant. This is enough for an error message, but not
 * enough to fill up a database.
 */
export const keptBytes = 1024

/**
 * Control characters other than tabs and line endings. Some databases reject the NUL character, and ESC sequences can
 * control terminals.
 */
// oxlint-disable-next-line no-control-regex -- the expression matches control characters
const harmful = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g

/**
 * Returns the first KiB of a response as valid UTF-8. A character at the end is never cut in half, and harmful
 * characters are replaced with U+FFFD.
 */
export function responseTextOf(chunks: readonly Buffer[]): string {
  if (chunks.length === 0) return ''
  const kept = Buffer.concat(chunks).subarray(0, keptBytes)
  return new StringDecoder('utf8').write(kept).replace(harmful, '\ufffd')
}

/**
 * Matches an HTTP date as defined in RFC 9110, such as `Sun, 06 Nov 1994 08:49:37 GMT`. `Date.parse` alone would accept
 * "5" as a month.
 */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

const instantOf = (header: unknown): number =>
  typeof header === 'string' && httpDate.test(header) ? Date.parse(header) : Number.NaN

/**
 * Returns the `Retry-After` header of a failed response in seconds, or null if there is none. If the header contains a
 * date, the wait is calculated relative to the `Date` header of the same response, so that clock skew does not matter.
 */
export function retryAfterSeconds(status: number, headers: IncomingHttpHeaders): number | null {
  const header = headers['retry-after']
  if (typeof header !== 'string' || (status >= 200 && status < 300)) return null
  if (/^\d+$/.test(header)) return Number(header)
  const seconds = Math.ceil((instantOf(header) - instantOf(headers.date)) / 1000)
  return Number.isNaN(seconds) ? null : Math.max(0, seconds)
}
