import { hostname, userInfo } from 'node:os'
import { auditLine, type By } from '../../audit/audit-event.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import type { Models } from '../../mongo/models.ts'

/** Returns the operating system's current user as the actor for the audit trail, with the value of `--reason`. */
export const operator = (reason?: string): By => ({
  actor: { kind: 'operator', name: userName(), from: hostname() },
  reason: reason ?? null,
})

/** Adds the line about a command to the audit trail. The command calls it before it changes anything. */
export function recordCommand(
  { AuditEvent, by, now }: Pick<Models, 'AuditEvent'> & { by: By; now(): Date },
  act: 'retention.run' | 'secrets.rotated',
): Promise<unknown> {
  const subject = act === 'retention.run' ? 'retention' : 'secrets'
  const line = auditLine({ at: now(), ...by, act, subject, businessId: null })
  return nativeCollection(AuditEvent).insertOne(line)
}

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
