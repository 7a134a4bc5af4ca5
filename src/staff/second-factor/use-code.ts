import type { mongo } from 'mongoose'
import type { By } from '../../audit/audit-event.ts'
import { type AuditedAct, type AuditedDeps, audited } from '../../audit/audited.ts'
import type { Deps } from '../../deps.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import type { Staff } from '../account.ts'
import { prove, type Unproven, WrongProof } from '../proof.ts'
import type { SignInChecks } from '../sign-in-limit.ts'
import { hashOfRecoveryCode, isRecoveryCode } from './recovery-codes.ts'
import { stepOf, totpField } from './totp.ts'

type UseDeps = Pick<Deps, 'Staff' | 'secrets' | 'now'>

/** What the audit trail says about the use of a code. `codesLeft` is the number of recovery codes that are left. */
type UsedCode = { secondFactor: 'code' } | { secondFactor: 'recovery code'; codesLeft: number }

/** Runs an act in whose transaction `use` uses up a code of the account's second factor. */
export const proveByCode = <Result extends { outcome: string }>(
  deps: UseDeps & AuditedDeps & Pick<SignInChecks, 'countCode'>,
  staff: Staff,
  { code, ip, by, enteredBy }: { code: string; ip: string; by: By; enteredBy: By },
  work: (act: AuditedAct, use: () => Promise<UsedCode>) => Promise<Result>,
): Promise<Result | Unproven> =>
  prove(deps, deps.countCode(staff._id, ip, code), enteredBy, () =>
    audited(deps, { documents: [staff._id], by }, (act) => work(act, () => useCode(deps, staff, code, act.session))),
  )

/**
 * Uses up a code of the account's authenticator app, or one of its recovery codes. A single guarded write uses up the
 * code, so of several concurrent uses of the same code, only one succeeds. Throws WrongProof if the code is wrong.
 */
async function useCode(
  deps: UseDeps,
  { _id: name, epoch, secondFactor }: Staff,
  code: string,
  session: mongo.ClientSession,
): Promise<UsedCode> {
  if (secondFactor === null) throw new WrongProof(name, 'no second factor')
  const same = { _id: name, epoch, disabledAt: null, 'secondFactor.id': secondFactor.id }
  const use = async (guard: object, change: object, refusal: string): Promise<void> => {
    const { modifiedCount } = await nativeCollection(deps.Staff).updateOne({ ...same, ...guard }, change, { session })
    if (modifiedCount === 0) throw new WrongProof(name, refusal)
  }
  if (isRecoveryCode(code)) {
    const hash = { 'secondFactor.recoveryCodes': hashOfRecoveryCode(name, code) }
    await use(hash, { $pull: hash }, 'wrong or used recovery code')
    return { secondFactor: 'recovery code', codesLeft: secondFactor.recoveryCodes.length - 1 }
  }
  const step = stepOf(deps.secrets.unseal(secondFactor.secret, totpField(name)), code, deps.now())
  if (step === null) throw new WrongProof(name, 'wrong code')
  const lastStep = 'secondFactor.lastStep'
  await use({ [lastStep]: { $lt: step } }, { $set: { [lastStep]: step } }, 'the code was already used')
  return { secondFactor: 'code' }
}
