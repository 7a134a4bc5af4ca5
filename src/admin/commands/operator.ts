import { userInfo } from 'node:os'
import type { Actor } from '../../audit/audit-event.ts'

/** The actor for the audit trail: the operating system's user. */
export const operator = (): Actor => ({ kind: 'operator', name: userName(), ip: null })

/** In a container, the user id may have no name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}
