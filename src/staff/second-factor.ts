import { type AuditContext, runAudited } from '../audit/audited.ts'
import { rawCollection } from '../mongo/collection.ts'
import type { Deps } from '../platform/deps.ts'
import { newId } from '../platform/ids.ts'
import { orNull } from '../platform/or-null.ts'
import type { Author } from '../security/actor.ts'
import type { EncryptedField } from '../security/encrypt.ts'
import type { Staff } from './account.ts'
import { type IdentityProofFailure, proveByCode } from './proof.ts'
import { findTotpStep, newRecoveryCodes, newTotpSecret, totpField } from './second-factor-codes.ts'
import type { SignInDeps } from './sign-in.ts'
import { type SignedInStaff, staffSessions } from './staff-sessions.ts'

/** `expired` means that the account or the session has changed. */
export type SecondFactorResult =
  | { outcome: 'done'; codes: string[] }
  | { outcome: 'wrong-new-code' }
  | { outcome: 'expired' }
  | IdentityProofFailure

type SecretDeps = Pick<Deps, 'secrets'>

/** The encrypted secret isn't stored until the form is submitted. */
export function proposeFactor({ secrets }: SecretDeps, session: SignedInStaff) {
  const secret = newTotpSecret()
  return { secret, sealed: secrets.encrypt(secret, formField(session)) }
}

export const readProposedSecret = ({ secrets }: SecretDeps, session: SignedInStaff, sealed: string) =>
  orNull(() => secrets.decrypt(sealed, formField(session)))

const formField = ({ sessionId }: SignedInStaff): EncryptedField => ({
  collection: staffSessions.name,
  id: sessionId,
  field: 'newFactor',
})

/** Ends the other sessions, because the new factor wasn't proved in them. */
export async function addSecondFactor(
  deps: SignInDeps,
  { name, sessionId }: SignedInStaff,
  { secret, code, current, ip }: { secret: string; code: string; current: string; ip: string },
  by: Author,
): Promise<SecondFactorResult> {
  const lastStep = findTotpStep(secret, code, deps.now())
  if (lastStep === null) return { outcome: 'wrong-new-code' }
  const staff = await deps.Staff.findOne({ _id: name }).lean<Staff | null>()
  if (staff === null) return { outcome: 'expired' }
  const { codes, hashes } = newRecoveryCodes(name)
  const [id, addedAt] = [newId(), deps.now()]
  const encrypted = deps.secrets.encrypt(secret, totpField(name))
  const factor: Staff['secondFactor'] = { id, secret: encrypted, lastStep, recoveryCodes: hashes, addedAt }
  const add = async (act: AuditContext): Promise<SecondFactorResult> => {
    if (!(await write(deps, act, staff, { secondFactor: factor }))) return { outcome: 'expired' }
    const own = { staffName: name, sessionId }
    const sessions = rawCollection(deps.StaffSession)
    await sessions.updateOne(own, { $set: { factorId: id } }, { session: act.session })
    const before = { addedAt: staff.secondFactor?.addedAt ?? null }
    const about = { subject: name, businessId: null, before, after: { addedAt } }
    await act.add({ act: 'staff.second-factor-added', ...about })
    return { outcome: 'done', codes }
  }
  if (staff.secondFactor === null) return runAudited(deps, { documents: [staff._id], by }, add)
  return proveByCode(deps, staff, { code: current, ip, by }, async (act, use) => {
    await use()
    return add(act)
  })
}

export async function renewRecoveryCodes(
  deps: SignInDeps,
  { name }: SignedInStaff,
  { code, ip }: { code: string; ip: string },
  by: Author,
): Promise<SecondFactorResult> {
  const staff = await deps.Staff.findOne({ _id: name }).lean<Staff | null>()
  if (staff === null || staff.secondFactor === null) return { outcome: 'expired' }
  const { codes, hashes } = newRecoveryCodes(name)
  return proveByCode<SecondFactorResult>(deps, staff, { code, ip, by }, async (act, use) => {
    await use()
    const isWritten = await write(deps, act, staff, { 'secondFactor.recoveryCodes': hashes })
    if (!isWritten) return { outcome: 'expired' }
    await act.add({ act: 'staff.recovery-codes-renewed', subject: name, businessId: null })
    return { outcome: 'done', codes }
  })
}

async function write(
  { Staff: model }: Pick<Deps, 'Staff'>,
  { session }: AuditContext,
  { _id, epoch, secondFactor }: Staff,
  change: object,
): Promise<boolean> {
  const same = secondFactor === null ? { secondFactor: null } : { 'secondFactor.id': secondFactor.id }
  const unchanged = { _id, epoch, disabledAt: null, ...same }
  const { matchedCount } = await rawCollection(model).updateOne(unchanged, { $set: change }, { session })
  return matchedCount === 1
}
