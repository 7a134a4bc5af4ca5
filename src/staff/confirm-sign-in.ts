import { setTimeout as pause } from 'node:timers/promises'
import { type AuditedAct, audited } from '../audit/audited.ts'
import type { Deps } from '../deps.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Staff } from './account.ts'
import { type OwnForms, ownForms } from './find-session.ts'
import { byOwner, type Client, openSession } from './open-session.ts'
import { useCode } from './second-factor/use-code.ts'
import { pendingText, type StaffSession } from './session.ts'
import { recordRefusal, type SignInDeps, type SignInResult } from './sign-in.ts'

/** A sign-in that still needs the second factor. */
export interface PendingSignIn extends OwnForms {
  id: string
  staff: Staff
}

/**
 * Returns the pending session with this token, or null if it does not exist, has expired, or was used. A pending
 * session also ends with every change that ends the account's sessions.
 */
export async function findPending(
  deps: Pick<Deps, 'Staff' | 'StaffSession' | 'secrets' | 'now'>,
  token: string,
): Promise<PendingSignIn | null> {
  const session = await deps.StaffSession.findOne({
    _id: { $in: deps.secrets.hashes(pendingText(token)) },
    isPending: true,
    endedAt: null,
    expiresAt: { $gt: deps.now() },
  }).lean<StaffSession | null>()
  if (session === null) return null
  const { staffName, epoch } = session
  const staff = await deps.Staff.findOne({ _id: staffName, epoch, disabledAt: null }).lean<Staff | null>()
  return staff === null ? null : { id: session._id, staff, ...ownForms(deps, pendingText(token)) }
}

/**
 * Completes a sign-in with a code of the account's authenticator app or with a recovery code. Both the code and the
 * pending session can be used only once.
 */
export async function confirmSignIn(
  deps: SignInDeps,
  { id, staff }: PendingSignIn,
  { code, client }: { code: string; client: Client },
): Promise<Exclude<SignInResult, { outcome: 'code-required' }>> {
  const attempt = await deps.countCode(staff._id, client.ip, code)
  if (!attempt.isOpen) return { outcome: 'wait', seconds: Math.ceil(attempt.closedMs / 1000) }
  await pause(attempt.delayMs)
  const by = byOwner(staff._id, client.ip)
  const done = await audited(deps, { documents: [staff._id], by }, async (act) => {
    const open = { _id: id, endedAt: null }
    if ((await deps.StaffSession.findOne(open, { _id: 1 }, { session: act.session })) === null)
      return { kind: 'refused', reason: 'the sign-in was already completed' } as const
    const used = await useCode(deps, staff, code, act.session)
    if (used.kind === 'refused') return used
    await endPending(deps, id, act)
    const { kind: secondFactor, ...more } = used
    return { kind: 'opened', token: await openSession(deps, act, staff, client, { secondFactor, ...more }) } as const
  })
  if (done.kind === 'refused') {
    await recordRefusal(deps, { subject: staff._id, signedInAs: null, ip: client.ip }, done.reason)
    return { outcome: 'refused' }
  }
  await attempt.takeBack(true)
  return { outcome: 'signed-in', token: done.token }
}

/** Ends a pending session. Returns false if it has already ended. */
async function endPending(
  { StaffSession: model }: Pick<Deps, 'StaffSession'>,
  _id: string,
  { session, at: endedAt }: AuditedAct,
): Promise<boolean> {
  const { modifiedCount } = await nativeCollection(model).updateOne(
    { _id, endedAt: null },
    { $set: { endedAt } },
    { session },
  )
  return modifiedCount === 1
}
