import type { By } from '../audit/audit-event.ts'
import { audited } from '../audit/audited.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { type ApiKey, newKey, type StoredSecret } from './api-key.ts'
import { type IssuedKey, type KeyDeps, newStoredSecret } from './issue-key.ts'

/**
 * Gives a key a new secret under the same id. The old one keeps working for `overlapSeconds`. Returns null if there is
 * no such key, or it is revoked.
 */
export const rotateKey = (deps: KeyDeps, id: string, overlapSeconds: number, by: By): Promise<IssuedKey | null> =>
  audited(deps, { documents: [id], by }, async ({ session, at, add }) => {
    const keys = nativeCollection(deps.ApiKey)
    const found = await keys.findOne({ _id: id, status: { $in: ['active', 'suspended'] } }, { session })
    if (found === null) return null
    const overlapEndsAt = new Date(at.getTime() + overlapSeconds * 1000)
    const key = newKey(found.kind, found.mode)
    const last4 = key.slice(-4)
    await add({
      act: 'key.rotated',
      subject: id,
      businessId: found.businessId,
      before: { last4: found.last4 },
      after: { last4, overlapEndsAt },
    })
    const secrets = [newStoredSecret(deps, key), ...olderSecrets(found, overlapEndsAt, at)]
    await keys.updateOne({ _id: id }, { $set: { secrets, last4 } }, { session })
    return { id, key }
  })

/** The number of ended secrets that a key keeps, so that staff can recognise a leaked secret that no longer works. */
const maxEnded = 5

/** Returns a key's secrets, all of which end at `end` at the latest: those in overlap, then the last that ended. */
function olderSecrets(key: ApiKey, end: Date, now: Date): StoredSecret[] {
  const older = key.secrets.map((secret) => ({ ...secret, validUntil: earlier(secret.validUntil, end) }))
  const isEnded = ({ validUntil }: { validUntil: Date }): boolean => validUntil <= now
  return [...older.filter((secret) => !isEnded(secret)), ...older.filter(isEnded).slice(0, maxEnded)]
}

const earlier = (one: Date | null, other: Date): Date => (one !== null && one < other ? one : other)
