import { isVisibleText } from '../input/visible-text.ts'

/** The maximum length of a reason, in characters. */
export const maxReasonLength = 300

/** Returns a reason without surrounding blanks, or null unless it is a visible text of 1 to 300 characters. */
export function readReason(text: string): string | null {
  const reason = text.trim()
  return isVisibleText(reason, maxReasonLength) ? reason : null
}
