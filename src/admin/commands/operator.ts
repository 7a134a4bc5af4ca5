import { userInfo } from 'node:os'
import type { Actor } from '../../audit/audit-event.ts'

/** Who acts at this shell, for the audit trail: the system's user. */
export const operator = (): Actor => ({ kind: 'operator', name: userName(), ip: null })

/** A container may run under a number that has no name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}
