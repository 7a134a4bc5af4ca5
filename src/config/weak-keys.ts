/**
 * In a random key of 32 bytes, about 30 bytes are distinct, and so are about 30 differences between neighbours. A
 * random key practically never has fewer than 16 of either.
 */
const minDistinct = 16

/**
 * Whether a base64-encoded key of 32 bytes was made by hand: a repeated byte, a sequence, encoded text, or words in one
 * case that happen to be valid base64. The check only catches mistakes: words in mixed case look like a random key and
 * pass.
 */
export function isWeakKey(text: string): boolean {
  const bytes = Buffer.from(text, 'base64')
  const steps = bytes.map((byte, at) => byte - (bytes[at - 1] ?? 0)).subarray(1)
  const isText = bytes.every((byte) => byte >= 0x20 && byte < 0x7f)
  // Words are usually all in one case, but only about one random key in two billion is.
  const isOfOneCase = !/[a-z]/.test(text) || !/[A-Z]/.test(text)
  return new Set(bytes).size < minDistinct || new Set(steps).size < minDistinct || isText || isOfOneCase
}

/** Texts that documents and examples use instead of a key. */
const placeholder = /change.?me|example|placeholder|password|your.?(api.?)?(key|secret)/i

/** Whether a key of 32 or more characters was made by hand: a placeholder, or a few repeated characters. */
export function isWeakText(text: string): boolean {
  const pieces = new Set(Array.from(text.slice(2), (_, at) => text.slice(at, at + 3)))
  const steps = new Set(Array.from(text.slice(1), (letter, at) => letter.charCodeAt(0) - text.charCodeAt(at)))
  // In 32 random digits, hardly any of the 30 groups of three digits are equal, and most of the 19 possible differences
  // between neighbours occur.
  return placeholder.test(text) || pieces.size < 15 || steps.size < 6
}
