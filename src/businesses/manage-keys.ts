import type { Models } from '../deps.ts'
import { newId } from '../ids.ts'
import type { Secrets } from '../secrets.ts'
import { type ApiKey, keyPrefix, newKey } from './api-key.ts'

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
    secrets: [{ hash: deps.secrets.hash(key), validUntil: null }],
    status: 'active',
    createdAt: deps.now(),
  })
  return { id, key }
}

/**
 * Gives a key a new secret under the same id; the old one works for `overlapSeconds` more. Null when there is no such
 * key, or it is revoked.
 */
export async function rotateKey(
  deps: KeyDeps,
  id: string,
  overlapSeconds: number,
): Promise<IssuedKey | null> {
  const now = deps.now()
  const end = new Date(now.getTime() + overlapSeconds * 1000)
  const found = await deps.ApiKey.findOne({
    _id: id,
    status: { $in: ['active', 'suspended'] },
  }).lean<ApiKey | null>()
  if (found === null) return null
  const key = newKey(found.kind, found.mode)
  const older = found.secrets
    .map((secret) => ({ ...secret, validUntil: earlier(secret.validUntil, end) }))
    .filter((secret) => secret.validUntil > now)
  // The first secret is the current one: whoever rotated meanwhile put another there, and then this begins anew.
  const rotated = await deps.ApiKey.updateOne(
    {
      _id: id,
      status: { $in: ['active', 'suspended'] },
      'secrets.0.hash': found.secrets[0]?.hash,
    },
    {
      $set: { secrets: [{ hash: deps.secrets.hash(key), validUntil: null }, ...older], last4: key.slice(-4) },
    },
  )
  return rotated.matchedCount === 1 ? { id, key } : rotateKey(deps, id, overlapSeconds)
}

const earlier = (one: Date | null, other: Date): Date => (one !== null && one < other ? one : other)

/** Suspends, resumes or revokes. Revoked is for good. False when there is no such key in a status that allows it. */
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
