import { runAudited } from '../audit/audited.ts'
import { rawCollection } from '../mongo/collection.ts'
import type { Deps } from '../platform/deps.ts'
import { ipPrefixesOf } from '../platform/network.ts'
import type { Account, Accounts } from './account.ts'
import {
  byStranger,
  type IdentityProofFailure,
  proveByCode,
  proveIdentity,
  WrongProofError,
} from './proof.ts'
import { byAccount, type OpenSession, openSession, type SignInClient } from './sessions.ts'
import type { SignInChecks } from './sign-in-limit.ts'

/** With `code-required`, the token belongs to a pending session. */
type SignInResult =
  | { outcome: 'signed-in'; token: string }
  | { outcome: 'code-required'; token: string }
  | IdentityProofFailure

type SessionDeps = Accounts & Pick<Deps, 'AuditEvent' | 'secrets' | 'now' | 'transactions'>
export type SignInDeps = SessionDeps & SignInChecks

/** The longest e-mail address (RFC 5321). */
const maxNameLength = 254
/** An unknown name may be a password, so the audit trail omits it. */
const unknownName = 'unknown name'

/** Only the audit trail shows why a sign-in was refused. */
export async function signIn(
  deps: SignInDeps,
  { password, client, ...input }: { name: string; password: string; client: SignInClient },
): Promise<SignInResult> {
  const { ip } = client
  const typed = Array.from(input.name.trim().toLowerCase().toWellFormed()).slice(0, maxNameLength).join('')
  const { nameField, readName } = deps.accountKind
  const name = readName(typed)
  return proveIdentity(deps, deps.countAttempt(name ?? typed, ip), byStranger(deps, ip), async () => {
    const account =
      name === null ? null : await deps.Account.findOne({ [nameField]: name }).lean<Account | null>()
    const isRight = await deps.checkPassword(largestPrefix(ip), account?.passwordHash ?? null, password)
    if (isRight === null) return { outcome: 'busy' }
    if (account === null) throw new WrongProofError(unknownName, 'no such account')
    if (!isRight) throw new WrongProofError(account._id, 'wrong password')
    if (account.disabledAt !== null) throw new WrongProofError(account._id, 'the account is disabled')
    if (account.secondFactor !== null)
      return { outcome: 'code-required', token: await openSession(deps, null, account, client) }
    const options = { documents: [], by: byAccount(deps, account._id, ip) }
    const token = await runAudited(deps, options, (act) => openSession(deps, act, account, client))
    return { outcome: 'signed-in', token }
  })
}

/** Sign-ins from this prefix share a limit on password checks. */
export const largestPrefix = (ip: string): string => ipPrefixesOf(ip).at(-1)?.range ?? ''

/** The code works only once, and so does the pending session. */
export function confirmSignIn(
  deps: SignInDeps,
  { session: { _id }, account }: OpenSession,
  { code, client }: { code: string; client: SignInClient },
): Promise<{ outcome: 'signed-in'; token: string } | IdentityProofFailure> {
  const { ip } = client
  const entered = { code, ip, by: byAccount(deps, account._id, ip), enteredBy: byStranger(deps, ip) }
  return proveByCode(deps, account, entered, async (act, use) => {
    const { modifiedCount } = await rawCollection(deps.AccountSession).updateOne(
      { _id, endedAt: null },
      { $set: { endedAt: act.at } },
      { session: act.session },
    )
    if (modifiedCount === 0) throw new WrongProofError(account._id, 'the sign-in was already completed')
    return { outcome: 'signed-in', token: await openSession(deps, act, account, client, await use()) }
  })
}
