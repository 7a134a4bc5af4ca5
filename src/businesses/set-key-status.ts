import type { Act } from '../audit/acts.ts'
import type { By } from '../audit/audit-event.ts'
import { type AuditedDeps, audited } from '../audit/audited.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Models } from '../mongo/models.ts'
import type { ApiKey } from './api-key.ts'

const acts = {
  suspended: 'key.suspended',
  active: 'key.resumed',
  revoked: 'key.revoked',
} as const satisfies Record<ApiKey['status'], Act>

/**
 * Suspends, resumes or revokes a key. Writes nothing if the key already has this status. Returns false if the key does
 * not exist, or if it is revoked and `status` differs.
 */
export const setKeyStatus = (
  deps: Pick<Models, 'ApiKey'> & AuditedDeps,
  id: string,
  status: ApiKey['status'],
  by: By,
): Promise<boolean> =>
  audited(deps, { documents: [id], by }, async ({ session, add }) => {
    const keys = nativeCollection(deps.ApiKey)
    const found = await keys.findOne({ _id: id }, { session, projection: { status: 1, businessId: 1 } })
    if (found === null) return false
    const { status: before, businessId } = found
    if (before === status) return true
    if (before === 'revoked') return false
    await keys.updateOne({ _id: id }, { $set: { status } }, { session })
    await add({ act: acts[status], subject: id, businessId, before: { status: before }, after: { status } })
    return true
  })
