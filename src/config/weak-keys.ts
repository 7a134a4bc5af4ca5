/**
 * A random 32-byte key has about 30 distinct bytes, and about 30 distinct differences between neighbouring bytes. A
 * random key almost never has fewer than 16 of either.
 */
const minDistinct = 16

/**
 * Whether a base64-encoded 32-byte key looks handmade, which means that it consists of a repeated byte, a sequence,
 * encoded text, or words in a single case that happen to be valid base64. The check only catches mistakes, because
 * words in mixed case cannot be distinguished from a random key.
 */
export function isWeakKey(text: string): boolean {
  const bytes = Buffer.from(text, 'base64')
  const steps = bytes.map((byte, at) => byte - (bytes[at - 1] ?? 0)).subarray(1)
  const isText = bytes.every((byte) => byte >= 0x20 && byte < 0x7f)
  // Words are usually in a single case. Only about one in three billion random keys has letters of a single case.
  const isOfOneCase = !/[a-z]/.test(text) || !/[A-Z]/.test(text)
  return new Set(bytes).size < minDistinct || new Set(steps).size < minDistinct || isText || isOfOneCase
}

/** Placeholders that documentation and examples show instead of a real key. */
const placeholder = /change.?me|example|placeholder|password|your.?(api.?)?(key|secret)/i

/**
 * Returns whether a key of at least 16 characters looks handmade, which means that it consists of a placeholder or of a
 * few repeated characters.
 */
export function isWeakText(text: string): boolean {
  const pieces = new Set(Array.from(text.slice(2), (_, at) => text.slice(at, at + 3)))
  const steps = new Set(Array.from(text.slice(1), (letter, at) => letter.charCodeAt(0) - text.charCodeAt(at)))
  // In a string of 32 random digits, nearly all of the 30 groups of three consecutive digits are distinct, and most of
  // the 19 possible differences between neighbouring digits occur.
  const minPieces = Math.min(15, 0.75 * (text.length - 2))
  return placeholder.test(text) || pieces.size < minPieces || steps.size < 6
}
