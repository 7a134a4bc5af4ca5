import type { By } from '../audit/audit-event.ts'
import { type AuditedDeps, audited } from '../audit/audited.ts'
import type { Deps } from '../deps.ts'
import { nativeCollection } from '../mongo/collection.ts'

/**
 * Ends the session with this token. The session ends immediately in every process. Does nothing if the session has
 * already ended.
 */
export const signOut = (
  deps: Pick<Deps, 'StaffSession' | 'secrets'> & AuditedDeps,
  token: string,
  by: By,
): Promise<void> =>
  audited(deps, { documents: [], by }, async ({ session, at, add }) => {
    const { modifiedCount } = await nativeCollection(deps.StaffSession).updateOne(
      { _id: { $in: [...deps.secrets.hashes(token)] }, endedAt: null },
      { $set: { endedAt: at } },
      { session },
    )
    if (modifiedCount > 0) await add({ act: 'staff.signed-out', subject: by.actor.name, businessId: null })
  })
