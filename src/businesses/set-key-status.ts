import type { Models } from '../mongo/models.ts'
import type { ApiKey } from './api-key.ts'

/**
 * Suspends, resumes or revokes a key. Returns false if the key does not exist or its status does not allow the change.
 */
export async function setKeyStatus(
  deps: Pick<Models, 'ApiKey'>,
  id: string,
  status: ApiKey['status'],
): Promise<boolean> {
  const from: ApiKey['status'][] =
    status === 'revoked' ? ['active', 'suspended', 'revoked'] : ['active', 'suspended']
  const changed = await deps.ApiKey.updateOne({ _id: id, status: { $in: from } }, { $set: { status } })
  return changed.matchedCount === 1
}
