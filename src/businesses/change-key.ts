import { type AuditedDeps, runAudited } from '../audit/audited.ts'
import { rawCollection } from '../mongo/collection.ts'
import type { Models } from '../platform/deps.ts'
import { newId } from '../platform/ids.ts'
import type { Author } from '../security/actor.ts'
import type { Encrypter } from '../security/encrypt.ts'
import { type ApiKey, apiKeyPrefix, type KeySecret, newApiKey } from './api-key.ts'

type KeyDeps = Pick<Models, 'Business' | 'ApiKey'> & AuditedDeps & { secrets: Encrypter }
type KeyRequest = Pick<ApiKey, 'businessId' | 'mode' | 'kind' | 'scopes' | 'ipAllowlist'>
/** We store only a hash of `key`, so this is the only copy. */
export type IssuedKey = { id: string; key: string }

export const issueApiKey = (deps: KeyDeps, input: KeyRequest, by: Author): Promise<IssuedKey | null> =>
  runAudited(deps, { documents: [], by }, async ({ session, at: createdAt, add }) => {
    const { businessId, ...rights } = input
    if ((await rawCollection(deps.Business).findOne({ _id: businessId }, { session })) === null) return null
    const key = newApiKey(input.kind, input.mode)
    const id = newId()
    const shown = { prefix: apiKeyPrefix(input.kind, input.mode), last4: key.slice(-4) }
    const unused = { status: 'active', createdAt, lastUsedDay: null } as const
    const stored: ApiKey = { _id: id, ...input, ...shown, secrets: [newStoredSecret(deps, key)], ...unused }
    await rawCollection(deps.ApiKey).insertOne(stored, { session })
    await add({ act: 'key.created', subject: id, businessId, after: { ...rights, ...shown } })
    return { id, key }
  })

const newStoredSecret = ({ secrets }: Pick<KeyDeps, 'secrets'>, key: string): KeySecret => ({
  hash: secrets.hash(key),
  last4: key.slice(-4),
  validUntil: null,
  pepper: secrets.keyIds[0],
})

export const rotateApiKey = (deps: KeyDeps, id: string, overlapSeconds: number, by: Author) =>
  runAudited<IssuedKey | null>(deps, { documents: [id], by }, async ({ session, at, add }) => {
    const keys = rawCollection(deps.ApiKey)
    const found = await keys.findOne({ _id: id, status: { $in: ['active', 'suspended'] } }, { session })
    if (found === null) return null
    const overlapEndsAt = new Date(at.getTime() + overlapSeconds * 1000)
    const key = newApiKey(found.kind, found.mode)
    const last4 = key.slice(-4)
    const { businessId, last4: before } = found
    const after = { last4, overlapEndsAt }
    await add({ act: 'key.rotated', subject: id, businessId, before: { last4: before }, after })
    const secrets = [newStoredSecret(deps, key), ...olderSecrets(found, overlapEndsAt, at)]
    await keys.updateOne({ _id: id }, { $set: { secrets, last4 } }, { session })
    return { id, key }
  })

/** Staff can recognise this many ended secrets if they leak. */
const maxEnded = 5

function olderSecrets(key: ApiKey, end: Date, now: Date): KeySecret[] {
  const older = key.secrets.map(({ validUntil, ...secret }) => ({
    ...secret,
    validUntil: validUntil !== null && validUntil < end ? validUntil : end,
  }))
  const ended = older.filter(({ validUntil }) => validUntil <= now)
  return [...older.filter(({ validUntil }) => validUntil > now), ...ended.slice(0, maxEnded)]
}

const acts = { suspended: 'key.suspended', active: 'key.resumed', revoked: 'key.revoked' } as const

/** Returns false if there is no such key. A revoked key stays revoked. */
export const setKeyStatus = (
  deps: Pick<Models, 'ApiKey'> & AuditedDeps,
  id: string,
  status: ApiKey['status'],
  by: Author,
): Promise<boolean> =>
  runAudited(deps, { documents: [id], by }, async ({ session, add }) => {
    const keys = rawCollection(deps.ApiKey)
    const found = await keys.findOne({ _id: id }, { session, projection: { status: 1, businessId: 1 } })
    if (found === null) return false
    const { status: before, businessId } = found
    if (before === status) return true
    if (before === 'revoked') return false
    await keys.updateOne({ _id: id }, { $set: { status } }, { session })
    await add({ act: acts[status], subject: id, businessId, before: { status: before }, after: { status } })
    return true
  })
