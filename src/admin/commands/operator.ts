import { userInfo } from 'node:os'
import type { Actor } from '../../audit/audit-event.ts'

/** Returns the operating system's current user as the actor for the audit trail. */
export const operator = (): Actor => ({ kind: 'operator', name: userName(), ip: null })

/**
 * Returns the current user's name. In a container, the user may have no name, in which case the function returns a name
 * based on the user id.
 */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}
