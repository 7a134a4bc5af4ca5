import type { IncomingHttpHeaders } from 'node:http'
import { StringDecoder } from 'node:string_decoder'

/** What of an answer is kept for the merchant to look at: enough for an error message, too little to fill a database. */
export const keptBytes = 1024

/** Control characters but tab and line ends: NUL is refused by databases, ESC steers terminals. */
// oxlint-disable-next-line no-control-regex -- they are what it is about
const harmful = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g

/** The first KiB as text: valid UTF-8, cut between characters, what is harmful shown as U+FFFD. */
export function answerText(chunks: readonly Buffer[]): string {
  if (chunks.length === 0) return ''
  const kept = Buffer.concat(chunks).subarray(0, keptBytes)
  return new StringDecoder('utf8').write(kept).replace(harmful, '\ufffd')
}

/** An HTTP date as RFC 9110 has it, `Sun, 06 Nov 1994 08:49:37 GMT`; Date.parse alone takes "5" for a month. */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

const instantOf = (header: unknown): number =>
  typeof header === 'string' && httpDate.test(header) ? Date.parse(header) : Number.NaN

/**
 * How long a receiver that said no asks us to wait, or null. A date is measured against the receiver's own `Date`, so that
 * its clock and ours need not agree.
 */
export function retryAfterSeconds(status: number, headers: IncomingHttpHeaders): number | null {
  const asked = headers['retry-after']
  if (typeof asked !== 'string' || (status >= 200 && status < 300)) return null
  if (/^\d+$/.test(asked)) return Number(asked)
  const seconds = Math.ceil((instantOf(asked) - instantOf(headers.date)) / 1000)
  return Number.isNaN(seconds) ? null : Math.max(0, seconds)
}
