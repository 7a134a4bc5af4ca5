import type { mongo } from 'mongoose'
import type { Deps } from '../../deps.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import type { SecondFactor, Staff } from '../account.ts'
import { hashOfRecoveryCode, isRecoveryCode } from './recovery-codes.ts'
import { stepOf, totpField } from './totp.ts'

/** The use of a code. `codesLeft` is the number of recovery codes that are left after one was used. */
export type UsedCode =
  | { kind: 'code' }
  | { kind: 'recovery code'; codesLeft: number }
  | { kind: 'refused'; reason: string }

/**
 * Uses up a code of the account's authenticator app, or one of its recovery codes. A single guarded write uses up the
 * code, so of several concurrent uses of the same code, only one succeeds.
 */
export async function useCode(
  deps: Pick<Deps, 'Staff' | 'secrets' | 'now'>,
  { _id: name, epoch, secondFactor }: Staff,
  code: string,
  session: mongo.ClientSession,
): Promise<UsedCode> {
  if (secondFactor === null) return { kind: 'refused', reason: 'no second factor' }
  const accounts = nativeCollection(deps.Staff)
  const same = { _id: name, epoch, disabledAt: null, 'secondFactor.id': secondFactor.id }
  if (isRecoveryCode(code)) {
    const hash = hashOfRecoveryCode(name, code)
    const { modifiedCount } = await accounts.updateOne(
      { ...same, 'secondFactor.recoveryCodes': hash },
      { $pull: { 'secondFactor.recoveryCodes': hash } },
      { session },
    )
    return modifiedCount === 1
      ? { kind: 'recovery code', codesLeft: secondFactor.recoveryCodes.length - 1 }
      : { kind: 'refused', reason: 'wrong or used recovery code' }
  }
  const step = stepOf(secretOf(deps, name, secondFactor), code, deps.now())
  if (step === null) return { kind: 'refused', reason: 'wrong code' }
  const { modifiedCount } = await accounts.updateOne(
    { ...same, 'secondFactor.lastStep': { $lt: step } },
    { $set: { 'secondFactor.lastStep': step } },
    { session },
  )
  return modifiedCount === 1 ? { kind: 'code' } : { kind: 'refused', reason: 'the code was already used' }
}

const secretOf = ({ secrets }: Pick<Deps, 'secrets'>, name: string, { secret }: SecondFactor): string =>
  secrets.unseal(secret, totpField(name))
