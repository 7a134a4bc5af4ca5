import type { Models } from '../mongo/models.ts'
import { newId } from '../security/ids.ts'
import type { Secrets } from '../security/seal.ts'
import { type ApiKey, keyPrefix, newKey, type StoredSecret } from './api-key.ts'

export type KeyDeps = Pick<Models, 'Business' | 'ApiKey'> & { secrets: Secrets; now(): Date }
export type KeyRequest = Pick<ApiKey, 'businessId' | 'mode' | 'kind' | 'scopes' | 'ipAllowlist'>
/** An issued key: the only time it is seen in clear. */
export interface IssuedKey {
  id: string
  key: string
}

/** Issues a key; only its keyed hash is stored. Null when there is no such business. */
export async function issueKey(deps: KeyDeps, asked: KeyRequest): Promise<IssuedKey | null> {
  if ((await deps.Business.exists({ _id: asked.businessId })) === null) return null
  const key = newKey(asked.kind, asked.mode)
  const id = newId()
  await deps.ApiKey.create({
    _id: id,
    ...asked,
    prefix: keyPrefix(asked.kind, asked.mode),
    last4: key.slice(-4),
    secrets: [newStoredSecret(deps, key)],
    status: 'active',
    createdAt: deps.now(),
  })
  return { id, key }
}

/** What is stored of a key that was just made. */
export const newStoredSecret = ({ secrets }: Pick<KeyDeps, 'secrets'>, key: string): StoredSecret => ({
  hash: secrets.hash(key),
  validUntil: null,
  pepper: secrets.keyIds[0],
})
