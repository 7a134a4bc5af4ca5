import { setTimeout as pause } from 'node:timers/promises'
import { auditLine, type By } from '../audit/audit-event.ts'
import type { AuditedDeps } from '../audit/audited.ts'
import { addShared } from '../audit/share.ts'
import { networkOf } from '../security/network.ts'
import { byOwner } from './open-session.ts'
import type { SignInAttempt } from './sign-in-limit.ts'

/** `refused` does not include a reason, so that a stranger learns nothing. */
export type Unproven = { outcome: 'refused' } | { outcome: 'wait'; seconds: number } | { outcome: 'busy' }

/** Thrown for a wrong password or code. Only the audit trail contains the account and the reason. */
export class WrongProof extends Error {
  readonly subject: string

  constructor(subject: string, reason: string) {
    super(reason)
    this.subject = subject
  }
}

/** The actor of a refused sign-in, because nothing proves who made it. The name is not a valid account name. */
export const byStranger = (ip: string): By => byOwner('not signed in', ip)

/** Runs `check` within the limit on failed attempts, and records a wrong password or code in the audit trail. */
export async function prove<Result extends { outcome: string }>(
  deps: Pick<AuditedDeps, 'AuditEvent' | 'now'>,
  attempting: Promise<SignInAttempt>,
  by: By,
  check: () => Promise<Result>,
): Promise<Result | Unproven> {
  const attempt = await attempting
  if (!attempt.isOpen) return { outcome: 'wait', seconds: Math.ceil(attempt.closedMs / 1000) }
  await pause(attempt.delayMs)
  try {
    const result = await check()
    if (result.outcome !== 'refused') await attempt.takeBack(result.outcome !== 'busy')
    return result
  } catch (error) {
    if (!(error instanceof WrongProof)) throw error
    const { subject, message: reason } = error
    const { name, from } = by.actor
    const about = { act: 'staff.sign-in-refused', subject, businessId: null, after: { reason } } as const
    // The first refusal of a network and hour has a line of its own. The others share one, with the names and reasons,
    // so that a flood cannot fill the audit trail.
    const key = `sign-in ${networkOf(from ?? '')} ${name}`
    await addShared(deps, key, auditLine(by, deps.now(), about), `${subject}: ${reason}`)
    return { outcome: 'refused' }
  }
}
