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
