import { auditLine, type By } from '../audit/audit-event.ts'
import { publishAudit } from '../audit/publish.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Models } from '../mongo/models.ts'
import { newId } from '../security/ids.ts'
import type { Secrets } from '../security/seal.ts'
import { type ApiKey, keyPrefix, newKey, type StoredSecret } from './api-key.ts'

export type KeyDeps = Pick<Models, 'Business' | 'ApiKey' | 'AuditEvent'> & { secrets: Secrets; now(): Date }
export type KeyRequest = Pick<ApiKey, 'businessId' | 'mode' | 'kind' | 'scopes' | 'ipAllowlist'>
/** A new key in clear text. The service does not store the clear text. */
export interface IssuedKey {
  id: string
  key: string
}

/** Issues a key and stores only its keyed hash. Returns null if the business does not exist. */
export async function issueKey(deps: KeyDeps, input: KeyRequest, by: By): Promise<IssuedKey | null> {
  if ((await deps.Business.exists({ _id: input.businessId })) === null) return null
  const key = newKey(input.kind, input.mode)
  const id = newId()
  const now = deps.now()
  const { businessId, ...rights } = input
  const shown = { prefix: keyPrefix(input.kind, input.mode), last4: key.slice(-4) }
  const stored: ApiKey = {
    _id: id,
    ...input,
    ...shown,
    secrets: [newStoredSecret(deps, key)],
    status: 'active',
    createdAt: now,
    lastUsedDay: null,
    unaudited: [
      auditLine({ at: now, ...by, act: 'key.created', subject: id, businessId, after: { ...rights, ...shown } }),
    ],
  }
  await nativeCollection(deps.ApiKey).insertOne(stored)
  await publishAudit(deps, deps.ApiKey, [stored])
  return { id, key }
}

/** Returns the stored form of a new key, which contains only its hash. */
export const newStoredSecret = ({ secrets }: Pick<KeyDeps, 'secrets'>, key: string): StoredSecret => ({
  hash: secrets.hash(key),
  last4: key.slice(-4),
  validUntil: null,
  pepper: secrets.keyIds[0],
})
