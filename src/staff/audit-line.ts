import type { Actor, AuditEvent } from '../audit/audit-event.ts'
import { newId } from '../ids.ts'

/** What is done to accounts, and by whom is in. */
export type StaffAct =
  | 'staff.created'
  | 'staff.disabled'
  | 'staff.enabled'
  | 'staff.password-changed'
  | 'staff.signed-in'
  | 'staff.sign-in-refused'
  | 'staff.signed-out'

/** A line of the trail about an account. */
export const staffLine = (
  deps: { now(): Date },
  act: StaffAct,
  subject: string,
  actor: Actor,
  change: Pick<AuditEvent, 'before' | 'after'>,
): AuditEvent => ({ _id: newId(), at: deps.now(), actor, act, subject, businessId: null, ...change })
