/** The maximum length of a reason, in characters. */
export const maxReasonLength = 300

/** Controls, line breaks, unassigned characters and invisible formatting, which can change how a line is displayed. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cn}\p{Zl}\p{Zp}]/u

/** Returns the reason for an action, or null if it is not 1 to `maxReasonLength` printable characters. */
export function readReason(text: string): string | null {
  const reason = text.trim()
  const isValid =
    reason !== '' &&
    Array.from(reason).length <= maxReasonLength &&
    reason.isWellFormed() &&
    !unprintable.test(reason)
  return isValid ? reason : null
}
