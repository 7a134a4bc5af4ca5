import { setTimeout as pause } from 'node:timers/promises'
import { auditLine, type By } from '../../audit/audit-event.ts'
import { publishAudit } from '../../audit/publish.ts'
import type { Deps } from '../../deps.ts'
import { newId } from '../../security/ids.ts'
import type { SealedField } from '../../security/seal.ts'
import type { SecondFactor, Staff } from '../account.ts'
import type { SignedIn } from '../find-session.ts'
import { staffSessions } from '../session.ts'
import { recordRefusal } from '../sign-in.ts'
import type { CountCode } from '../sign-in-limit.ts'
import { hashOfRecoveryCode, newRecoveryCodes } from './recovery-codes.ts'
import { newTotpSecret, stepOf, totpField } from './totp.ts'
import { useCode } from './use-code.ts'

export type FactorDeps = Pick<Deps, 'Staff' | 'StaffSession' | 'AuditEvent' | 'secrets' | 'now'> & {
  countCode: CountCode
}

/**
 * The result of adding a second factor or of renewing the recovery codes. The codes must be shown only once. `expired`
 * means that the form belongs to another session, or that the account has changed in the meantime.
 */
export type FactorResult =
  | { outcome: 'done'; codes: string[] }
  | { outcome: 'wrong-new-code' }
  | { outcome: 'refused' }
  | { outcome: 'expired' }
  | { outcome: 'wait'; seconds: number }

/**
 * Returns a new TOTP secret, and the same secret sealed for this session. The form contains the sealed secret, so
 * nothing is stored before the form is submitted.
 */
export function proposeFactor(
  { secrets }: Pick<Deps, 'secrets'>,
  session: Pick<SignedIn, 'sessionId'>,
): { secret: string; sealed: string } {
  const secret = newTotpSecret()
  return { secret, sealed: secrets.seal(secret, formField(session)) }
}

/** Returns the secret in a form, or null if the form was not created for this session. */
export function proposedSecret(
  { secrets }: Pick<Deps, 'secrets'>,
  session: Pick<SignedIn, 'sessionId'>,
  sealed: string,
): string | null {
  try {
    return secrets.unseal(sealed, formField(session))
  } catch {
    return null
  }
}

const formField = ({ sessionId }: Pick<SignedIn, 'sessionId'>): SealedField => ({
  collection: staffSessions.name,
  id: sessionId,
  field: 'newFactor',
})

/**
 * Adds a second factor if `code` is one of its codes. If the account already has a second factor, replaces it if
 * `current` is a code of that one or a recovery code. The account's other sessions end, because they have not proved
 * the new factor.
 */
export async function addSecondFactor(
  deps: FactorDeps,
  session: SignedIn,
  { secret, code, current, ip }: { secret: string; code: string; current: string; ip: string },
  by: By,
): Promise<FactorResult> {
  const lastStep = stepOf(secret, code, deps.now())
  if (lastStep === null) return { outcome: 'wrong-new-code' }
  const staff = await deps.Staff.findOne({ _id: session.name }).lean<Staff | null>()
  if (staff === null) return { outcome: 'expired' }
  const refusal = staff.secondFactor === null ? null : await refusalOf(deps, staff, current, ip)
  if (refusal !== null) return refusal
  const codes = newRecoveryCodes()
  const factor: SecondFactor = {
    id: newId(),
    secret: deps.secrets.seal(secret, totpField(session.name)),
    lastStep,
    recoveryCodes: codes.map((each) => hashOfRecoveryCode(session.name, each)),
    addedAt: deps.now(),
  }
  const isDone = await write(deps, staff, { secondFactor: factor }, 'staff.second-factor-added', by)
  if (!isDone) return { outcome: 'expired' }
  // If the process is killed here, this session has ended too, and its owner signs in with a code.
  await deps.StaffSession.updateOne(
    { staffName: session.name, sessionId: session.sessionId },
    { $set: { factorId: factor.id } },
  )
  return { outcome: 'done', codes }
}

/** Replaces all recovery codes of an account, if a code of its second factor was entered. */
export async function renewRecoveryCodes(
  deps: FactorDeps,
  { name }: SignedIn,
  { code, ip }: { code: string; ip: string },
  by: By,
): Promise<FactorResult> {
  const staff = await deps.Staff.findOne({ _id: name }).lean<Staff | null>()
  if (staff === null || staff.secondFactor === null) return { outcome: 'expired' }
  const refusal = await refusalOf(deps, staff, code, ip)
  if (refusal !== null) return refusal
  const codes = newRecoveryCodes()
  const change = { 'secondFactor.recoveryCodes': codes.map((each) => hashOfRecoveryCode(name, each)) }
  const isDone = await write(deps, staff, change, 'staff.recovery-codes-renewed', by)
  return isDone ? { outcome: 'done', codes } : { outcome: 'expired' }
}

/** Counts the attempt and uses up the code. Returns null if the code was right, and otherwise records the refusal. */
async function refusalOf(deps: FactorDeps, staff: Staff, code: string, ip: string): Promise<FactorResult | null> {
  const attempt = await deps.countCode(staff._id, ip, code)
  if (!attempt.isOpen) return { outcome: 'wait', seconds: Math.ceil(attempt.closedMs / 1000) }
  await pause(attempt.delayMs)
  const used = await useCode(deps, staff, code)
  if (used.kind === 'refused') {
    await recordRefusal(deps, { subject: staff._id, signedInAs: staff._id, ip }, used.reason)
    return { outcome: 'refused' }
  }
  await attempt.takeBack(true)
  return null
}

/** Makes the change, unless the account or its second factor has changed since it was read. */
async function write(
  deps: FactorDeps,
  { _id: name, epoch, secondFactor }: Staff,
  change: object,
  act: 'staff.second-factor-added' | 'staff.recovery-codes-renewed',
  by: By,
): Promise<boolean> {
  const at = deps.now()
  const isNew = act === 'staff.second-factor-added'
  const before = isNew ? { addedAt: secondFactor?.addedAt ?? null } : null
  const after = isNew ? { addedAt: at } : null
  const line = auditLine({ at, ...by, act, subject: name, businessId: null, before, after })
  const same = secondFactor === null ? { secondFactor: null } : { 'secondFactor.id': secondFactor.id }
  const changed = await deps.Staff.findOneAndUpdate(
    { _id: name, epoch, disabledAt: null, ...same },
    { $set: change, $push: { unaudited: line } },
    { returnDocument: 'after' },
  ).lean<Staff | null>()
  if (changed === null) return false
  await publishAudit(deps, deps.Staff, [changed])
  return true
}
