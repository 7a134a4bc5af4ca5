import { setTimeout as pause } from 'node:timers/promises'
import type { mongo } from 'mongoose'
import { newAuditLine } from '../audit/audit-event.ts'
import { type AuditContext, type AuditedDeps, runAudited } from '../audit/audited.ts'
import { addOrCountLine } from '../audit/repeats.ts'
import { rawCollection } from '../mongo/collection.ts'
import type { Deps } from '../platform/deps.ts'
import { networkOfIp } from '../platform/network.ts'
import type { Author } from '../security/actor.ts'
import type { Account, Accounts } from './account.ts'
import { findTotpStep, hashRecoveryCode, isRecoveryCode, totpField } from './second-factor-codes.ts'
import { byAccount } from './sessions.ts'
import type { SignInAttempt, SignInChecks } from './sign-in-limit.ts'

/** `refused` hides the reason from strangers. */
export type IdentityProofFailure = { outcome: 'refused' | 'busy' } | { outcome: 'wait'; seconds: number }

/** Only the audit trail shows the account and the reason. */
export class WrongProofError extends Error {
  readonly subject: string

  constructor(subject: string, reason: string) {
    super(reason)
    this.subject = subject
  }
}

/** Account names have no spaces, so `not signed in` can't be one. */
export const byStranger = (deps: Pick<Accounts, 'accountKind'>, ip: string): Author =>
  byAccount(deps, 'not signed in', ip)

export async function proveIdentity<Result extends { outcome: string }>(
  deps: Pick<AuditedDeps, 'AuditEvent' | 'now'> & Pick<Accounts, 'accountKind'>,
  attempting: Promise<SignInAttempt>,
  by: Author,
  check: () => Promise<Result>,
): Promise<Result | IdentityProofFailure> {
  const attempt = await attempting
  if (!attempt.isOpen) return { outcome: 'wait', seconds: Math.ceil(attempt.closedMs / 1000) }
  await pause(attempt.delayMs)
  try {
    const result = await check()
    if (result.outcome !== 'refused') await attempt.takeBack(result.outcome !== 'busy')
    return result
  } catch (error) {
    if (!(error instanceof WrongProofError)) throw error
    const { subject, message: reason } = error
    const { name, from } = by.actor
    const { noun } = deps.accountKind
    const about = { act: `${noun}.sign-in-refused`, subject, businessId: null, after: { reason } } as const
    // Repeats from a network share a line each hour, so a flood adds few lines.
    const key = `sign-in ${noun} ${networkOfIp(from ?? '')} ${name}`
    await addOrCountLine(deps, key, newAuditLine(by, deps.now(), about), `${subject}: ${reason}`)
    return { outcome: 'refused' }
  }
}

type UseDeps = Accounts & Pick<Deps, 'secrets' | 'now'>

type UsedCode = { secondFactor: 'code' } | { secondFactor: 'recovery code'; codesLeft: number }

/** `use` uses up the code in the same transaction. */
export const proveByCode = <Result extends { outcome: string }>(
  deps: UseDeps & AuditedDeps & Pick<SignInChecks, 'countCode'>,
  account: Account,
  { code, ip, by, enteredBy = by }: { code: string; ip: string; by: Author; enteredBy?: Author },
  work: (act: AuditContext, use: () => Promise<UsedCode>) => Promise<Result>,
): Promise<Result | IdentityProofFailure> =>
  proveIdentity(deps, deps.countCode(account._id, ip, code), enteredBy, () =>
    runAudited(deps, { documents: [account._id], by }, (act) =>
      work(act, () => useCode(deps, account, code, act.session)),
    ),
  )

/** Of several concurrent uses of a code, only one succeeds. */
async function useCode(
  deps: UseDeps,
  { _id: id, epoch, secondFactor }: Account,
  code: string,
  session: mongo.ClientSession,
): Promise<UsedCode> {
  if (secondFactor === null) throw new WrongProofError(id, 'no second factor')
  const same = { _id: id, epoch, disabledAt: null, 'secondFactor.id': secondFactor.id }
  const use = async (guard: object, change: object, refusal: string): Promise<void> => {
    const accounts = rawCollection(deps.Account)
    const { modifiedCount } = await accounts.updateOne({ ...same, ...guard }, change, { session })
    if (modifiedCount === 0) throw new WrongProofError(id, refusal)
  }
  if (isRecoveryCode(code)) {
    const hash = { 'secondFactor.recoveryCodes': hashRecoveryCode(id, code) }
    await use(hash, { $pull: hash }, 'wrong or used recovery code')
    return { secondFactor: 'recovery code', codesLeft: secondFactor.recoveryCodes.length - 1 }
  }
  const step = findTotpStep(
    deps.secrets.decrypt(secondFactor.secret, totpField(deps.accountKind, id)),
    code,
    deps.now(),
  )
  if (step === null) throw new WrongProofError(id, 'wrong code')
  const lastStep = 'secondFactor.lastStep'
  await use({ [lastStep]: { $lt: step } }, { $set: { [lastStep]: step } }, 'the code was already used')
  return { secondFactor: 'code' }
}
