import type { Deps } from '../deps.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Staff } from './account.ts'
import { findOpen, type OwnForms, ownForms } from './find-session.ts'
import { byOwner, type Client, openSession } from './open-session.ts'
import { byStranger, type Unproven, WrongProof } from './proof.ts'
import { proveByCode } from './second-factor/use-code.ts'
import { pendingText } from './session.ts'
import type { SignInDeps } from './sign-in.ts'

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
  const found = await findOpen(deps, token, { isPending: true })
  return found === null ? null : { id: found.session._id, staff: found.staff, ...ownForms(deps, pendingText(token)) }
}

/**
 * Completes a sign-in with a code of the account's authenticator app or with a recovery code. Both the code and the
 * pending session can be used only once.
 */
export function confirmSignIn(
  deps: SignInDeps,
  { id, staff }: PendingSignIn,
  { code, client }: { code: string; client: Client },
): Promise<{ outcome: 'signed-in'; token: string } | Unproven> {
  const { ip } = client
  const entered = { code, ip, by: byOwner(staff._id, ip), enteredBy: byStranger(ip) }
  return proveByCode(deps, staff, entered, async (act, use) => {
    const { modifiedCount } = await nativeCollection(deps.StaffSession).updateOne(
      { _id: id, endedAt: null },
      { $set: { endedAt: act.at } },
      { session: act.session },
    )
    if (modifiedCount === 0) throw new WrongProof(staff._id, 'the sign-in was already completed')
    return { outcome: 'signed-in', token: await openSession(deps, act, staff, client, await use()) }
  })
}
