import { hostname, userInfo } from 'node:os'
import type { By } from '../../audit/audit-event.ts'

/** Returns the operating system's current user as the actor for the audit trail, with the value of `--reason`. */
export const operator = (reason?: string): By => ({
  actor: { kind: 'operator', name: userName(), from: hostname() },
  reason: reason ?? null,
})

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
