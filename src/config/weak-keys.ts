/** Of 32 random bytes some 30 are distinct, and so are the steps from each to the next; that fewer than 16 are never happens. */
const fewestDistinct = 16

/**
 * Whether a key of 32 bytes in base64 was made by hand: one byte again and again, a sequence, text in base64, or words of one case that
 * happen to be base64. It is a net for slips: words of both cases look like any other key and get through.
 */
export function isWeakKey(text: string): boolean {
  const bytes = Buffer.from(text, 'base64')
  const steps = bytes.map((byte, at) => byte - (bytes[at - 1] ?? 0)).subarray(1)
  const isText = bytes.every((byte) => byte >= 0x20 && byte < 0x7f)
  // Words that happen to be base64 are mostly of one case; of random keys one in two thousand million is.
  const isOfOneCase = !/[a-z]/.test(text) || !/[A-Z]/.test(text)
  return new Set(bytes).size < fewestDistinct || new Set(steps).size < fewestDistinct || isText || isOfOneCase
}

/** What stands where a key should be put. */
const placeholder = /change.?me|example|placeholder|password|your.?(api.?)?(key|secret)/i

/** Whether a key that is any text of 32 characters or more was made by hand: a placeholder, or a few characters again and again. */
export function isWeakText(text: string): boolean {
  const pieces = new Set(Array.from(text.slice(2), (_, at) => text.slice(at, at + 3)))
  const steps = new Set(Array.from(text.slice(1), (letter, at) => letter.charCodeAt(0) - text.charCodeAt(at)))
  // Of 32 random digits hardly two in thirty pieces of three are alike, and each step of the eighteen or so comes up.
  return placeholder.test(text) || pieces.size < 15 || steps.size < 6
}
