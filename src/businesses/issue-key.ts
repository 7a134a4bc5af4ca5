import type { By } from '../audit/audit-event.ts'
import { type AuditedDeps, audited } from '../audit/audited.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Models } from '../mongo/models.ts'
import { newId } from '../security/ids.ts'
import type { Secrets } from '../security/seal.ts'
import { type ApiKey, keyPrefix, newKey, type StoredSecret } from './api-key.ts'

export type KeyDeps = Pick<Models, 'Business' | 'ApiKey'> & AuditedDeps & { secrets: Secrets }
export type KeyRequest = Pick<ApiKey, 'businessId' | 'mode' | 'kind' | 'scopes' | 'ipAllowlist'>
/** A new key in clear text. The service does not store the clear text. */
export interface IssuedKey {
  id: string
  key: string
}

/** Issues a key and stores only its keyed hash. Returns null if the business does not exist. */
export const issueKey = (deps: KeyDeps, input: KeyRequest, by: By): Promise<IssuedKey | null> =>
  audited(deps, { documents: [], by }, async ({ session, at: createdAt, add }) => {
    const { businessId, ...rights } = input
    if ((await nativeCollection(deps.Business).findOne({ _id: businessId }, { session })) === null) return null
    const key = newKey(input.kind, input.mode)
    const id = newId()
    const shown = { prefix: keyPrefix(input.kind, input.mode), last4: key.slice(-4) }
    const stored: ApiKey = {
      _id: id,
      ...input,
      ...shown,
      secrets: [newStoredSecret(deps, key)],
      status: 'active',
      createdAt,
      lastUsedDay: null,
    }
    await nativeCollection(deps.ApiKey).insertOne(stored, { session })
    await add({ act: 'key.created', subject: id, businessId, after: { ...rights, ...shown } })
    return { id, key }
  })

/** Returns the stored form of a new key, which contains only its hash. */
export const newStoredSecret = ({ secrets }: Pick<KeyDeps, 'secrets'>, key: string): StoredSecret => ({
  hash: secrets.hash(key),
  last4: key.slice(-4),
  validUntil: null,
  pepper: secrets.keyIds[0],
})
