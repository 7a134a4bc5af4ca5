import { isBlank, isLonger } from '../input/name.ts'

/** Control characters, line breaks, and characters that change the direction of the text after them. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202A-\u202E\u2066-\u2069]/u

/** The maximum length of a reason, in characters. */
export const maxReasonLength = 300

/** Returns a reason without surrounding blanks, or null unless it is a visible text of 1 to 300 characters. */
export function readReason(text: string): string | null {
  const reason = text.trim()
  return isBlank(reason) || isLonger(reason, maxReasonLength) || unprintable.test(reason) ? null : reason
}
