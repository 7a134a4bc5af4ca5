import { type AuditContext, type AuditedDeps, runAudited } from '../audit/audited.ts'
import { rawCollection } from '../mongo/collection.ts'
import type { Models } from '../platform/deps.ts'
import { newId } from '../platform/ids.ts'
import type { Author } from '../security/actor.ts'
import type { Encrypter } from '../security/encrypt.ts'
import { type ApiKey, apiKeyPrefix, type KeySecret, newApiKey } from './api-key.ts'
import { lockBusinesses } from './change-business.ts'

type KeyDeps = Pick<Models, 'Business' | 'ApiKey'> & AuditedDeps & { secrets: Encrypter }
type KeyRequest = Pick<ApiKey, 'businessId' | 'mode' | 'kind' | 'scopes' | 'ipAllowlist'>
/** We store only a hash of `key`, so this is the only copy. */
export type IssuedKey = { id: string; key: string }

export const issueApiKey = (deps: KeyDeps, input: KeyRequest, by: Author): Promise<IssuedKey | null> =>
  runAudited(deps, { documents: [], by }, async (act) => {
    const { businessId: _id } = input
    const found = await rawCollection(deps.Business).findOne({ _id }, { session: act.session })
    return found && addKey(deps, act, input)
  })

async function addKey(
  deps: KeyDeps,
  { session, at: createdAt, add }: AuditContext,
  input: KeyRequest,
  form?: string,
) {
  const { businessId, ...rights } = input
  const key = newApiKey(input.kind, input.mode)
  const id = newId()
  const shown = { prefix: apiKeyPrefix(input.kind, input.mode), last4: key.slice(-4) }
  const unused = { status: 'active', createdAt, lastUsedDay: null } as const
  const secrets = [newStoredSecret(deps, key, form)]
  const stored: ApiKey = { _id: id, ...input, ...shown, secrets, ...unused }
  await rawCollection(deps.ApiKey).insertOne(stored, { session })
  await add({ act: 'key.created', subject: id, businessId, after: { ...rights, ...shown } })
  return { id, key }
}

/** Per business and mode, for those that owners make. Revoked keys don't count. */
export const maxOwnKeys = 50

/** `repeats` is the id of the key that the same form made before. */
export type OwnKeyResult = IssuedKey | { repeats: string } | 'too-many'

export const issueOwnKey = (
  deps: KeyDeps,
  input: KeyRequest,
  form: string,
  by: Author,
): Promise<OwnKeyResult> =>
  runAudited<OwnKeyResult>(deps, { documents: [input.businessId], by }, async (act) => {
    const { businessId, mode } = input
    const { session } = act
    await lockBusinesses(deps, session, [businessId])
    const keys = rawCollection(deps.ApiKey)
    const made = await keys.findOne({ businessId, 'secrets.form': form }, { session })
    if (made !== null) return { repeats: made._id }
    const count = await keys.countDocuments({ businessId, mode, status: { $ne: 'revoked' } }, { session })
    return count < maxOwnKeys ? addKey(deps, act, input, form) : 'too-many'
  })

const newStoredSecret = ({ secrets }: Pick<KeyDeps, 'secrets'>, key: string, form?: string): KeySecret => ({
  hash: secrets.hash(key),
  last4: key.slice(-4),
  validUntil: null,
  pepper: secrets.keyIds[0],
  ...(form !== undefined && { form }),
})

/** Owners pass a `form`, and null means that it has rotated the key before. */
export const rotateApiKey = (deps: KeyDeps, id: string, overlapSeconds: number, by: Author, form?: string) =>
  runAudited<IssuedKey | null>(deps, { documents: [id], by }, async ({ session, at, add }) => {
    const keys = rawCollection(deps.ApiKey)
    const usable = { _id: id, status: { $in: ['active' as const, 'suspended' as const] } }
    const unused = form !== undefined && { 'secrets.form': { $ne: form } }
    const found = await keys.findOne({ ...usable, ...unused }, { session })
    if (found === null) return null
    const overlapEndsAt = new Date(at.getTime() + overlapSeconds * 1000)
    const key = newApiKey(found.kind, found.mode)
    const last4 = key.slice(-4)
    const { businessId, last4: before } = found
    const after = { last4, overlapEndsAt }
    await add({ act: 'key.rotated', subject: id, businessId, before: { last4: before }, after })
    const secrets = [newStoredSecret(deps, key, form), ...olderSecrets(found, overlapEndsAt, at)]
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
