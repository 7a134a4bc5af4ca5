import { type AuditContext, runAudited } from '../audit/audited.ts'
import { rawCollection } from '../mongo/collection.ts'
import type { Deps } from '../platform/deps.ts'
import { newId } from '../platform/ids.ts'
import { orNull } from '../platform/or-null.ts'
import type { Author } from '../security/actor.ts'
import type { EncryptedField } from '../security/encrypt.ts'
import type { Account, Accounts } from './account.ts'
import { type IdentityProofFailure, proveByCode } from './proof.ts'
import { findTotpStep, newRecoveryCodes, newTotpSecret, totpField } from './second-factor-codes.ts'
import type { SignedIn } from './sessions.ts'
import type { SignInDeps } from './sign-in.ts'

/** `expired` means that the account or the session has changed. */
export type SecondFactorResult =
  | { outcome: 'done'; codes: string[] }
  | { outcome: 'wrong-new-code' }
  | { outcome: 'expired' }
  | IdentityProofFailure

type SecretDeps = Pick<Deps, 'secrets'> & Pick<Accounts, 'accountKind'>

/** The encrypted secret isn't stored until the form is submitted. */
export function proposeFactor(deps: SecretDeps, session: SignedIn) {
  const secret = newTotpSecret()
  return { secret, sealed: deps.secrets.encrypt(secret, formField(deps, session)) }
}

export const readProposedSecret = (deps: SecretDeps, session: SignedIn, sealed: string) =>
  orNull(() => deps.secrets.decrypt(sealed, formField(deps, session)))

const formField = ({ accountKind }: SecretDeps, { sessionId }: SignedIn): EncryptedField => ({
  collection: accountKind.sessionCollection,
  id: sessionId,
  field: 'newFactor',
})

/** Ends the other sessions, because the new factor wasn't proved in them. */
export async function addSecondFactor(
  deps: SignInDeps,
  { id: accountId, sessionId }: SignedIn,
  { secret, code, current, ip }: { secret: string; code: string; current: string; ip: string },
  by: Author,
): Promise<SecondFactorResult> {
  const lastStep = findTotpStep(secret, code, deps.now())
  if (lastStep === null) return { outcome: 'wrong-new-code' }
  const account = await deps.Account.findOne({ _id: accountId }).lean<Account | null>()
  if (account === null) return { outcome: 'expired' }
  const { codes, hashes } = newRecoveryCodes(accountId)
  const [id, addedAt] = [newId(), deps.now()]
  const encrypted = deps.secrets.encrypt(secret, totpField(deps.accountKind, accountId))
  const factor: Account['secondFactor'] = { id, secret: encrypted, lastStep, recoveryCodes: hashes, addedAt }
  const add = async (act: AuditContext): Promise<SecondFactorResult> => {
    if (!(await write(deps, act, account, { secondFactor: factor }))) return { outcome: 'expired' }
    const own = { [deps.accountKind.owner]: accountId, sessionId }
    const sessions = rawCollection(deps.AccountSession)
    await sessions.updateOne(own, { $set: { factorId: id } }, { session: act.session })
    const before = { addedAt: account.secondFactor?.addedAt ?? null }
    const about = { subject: accountId, businessId: null, before, after: { addedAt } }
    await act.add({ act: `${deps.accountKind.noun}.second-factor-added`, ...about })
    return { outcome: 'done', codes }
  }
  if (account.secondFactor === null) return runAudited(deps, { documents: [accountId], by }, add)
  return proveByCode(deps, account, { code: current, ip, by }, async (act, use) => {
    await use()
    return add(act)
  })
}

export async function renewRecoveryCodes(
  deps: SignInDeps,
  { id: accountId }: SignedIn,
  { code, ip }: { code: string; ip: string },
  by: Author,
): Promise<SecondFactorResult> {
  const account = await deps.Account.findOne({ _id: accountId }).lean<Account | null>()
  if (account === null || account.secondFactor === null) return { outcome: 'expired' }
  const { codes, hashes } = newRecoveryCodes(accountId)
  return proveByCode<SecondFactorResult>(deps, account, { code, ip, by }, async (act, use) => {
    await use()
    const isWritten = await write(deps, act, account, { 'secondFactor.recoveryCodes': hashes })
    if (!isWritten) return { outcome: 'expired' }
    const name = `${deps.accountKind.noun}.recovery-codes-renewed` as const
    await act.add({ act: name, subject: accountId, businessId: null })
    return { outcome: 'done', codes }
  })
}

async function write(
  { Account: model }: Pick<Accounts, 'Account'>,
  { session }: AuditContext,
  { _id, epoch, secondFactor }: Account,
  change: object,
): Promise<boolean> {
  const same = secondFactor === null ? { secondFactor: null } : { 'secondFactor.id': secondFactor.id }
  const unchanged = { _id, epoch, disabledAt: null, ...same }
  const { matchedCount } = await rawCollection(model).updateOne(unchanged, { $set: change }, { session })
  return matchedCount === 1
}
