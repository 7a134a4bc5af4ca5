import { auditLine, type By } from '../audit/audit-event.ts'
import { publishAudit } from '../audit/publish.ts'
import { type ApiKey, newKey, type StoredSecret } from './api-key.ts'
import { type IssuedKey, type KeyDeps, newStoredSecret } from './issue-key.ts'

/**
 * Gives a key a new secret, and records this for the audit trail in the same write. The key's id stays the same. The
 * old secret keeps working for `overlapSeconds`. Returns null if the key does not exist or is revoked.
 */
export async function rotateKey(deps: KeyDeps, id: string, overlapSeconds: number, by: By): Promise<IssuedKey | null> {
  const now = deps.now()
  const end = new Date(now.getTime() + overlapSeconds * 1000)
  const found = await deps.ApiKey.findOne({
    _id: id,
    status: { $in: ['active', 'suspended'] },
  }).lean<ApiKey | null>()
  if (found === null) return null
  const key = newKey(found.kind, found.mode)
  const older = olderSecrets(found, end, now)
  // The filter compares the first secret in the list, which is the current secret. If another rotation has replaced
  // that secret since the key was read, the filter does not match, and this rotation starts again.
  const last4 = key.slice(-4)
  const line = auditLine({
    at: now,
    ...by,
    act: 'key.rotated',
    subject: id,
    businessId: found.businessId,
    before: { last4: found.last4 },
    after: { last4, overlapEndsAt: end },
  })
  const rotated = await deps.ApiKey.findOneAndUpdate(
    {
      _id: id,
      status: { $in: ['active', 'suspended'] },
      'secrets.0.hash': found.secrets[0]?.hash,
    },
    {
      $set: { secrets: [newStoredSecret(deps, key), ...older], last4 },
      $push: { unaudited: line },
    },
    { returnDocument: 'after', projection: { unaudited: 1 } },
  ).lean<Pick<ApiKey, '_id' | 'unaudited'> | null>()
  if (rotated === null) return rotateKey(deps, id, overlapSeconds, by)
  await publishAudit(deps, deps.ApiKey, [rotated])
  return { id, key }
}

/** The number of ended secrets that a key keeps, so that staff can recognise a leaked secret that no longer works. */
const maxEnded = 5

/** Returns a key's secrets, all of which end at `end` at the latest: those in overlap, then the last that ended. */
function olderSecrets(key: ApiKey, end: Date, now: Date): StoredSecret[] {
  const older = key.secrets.map((secret) => ({ ...secret, validUntil: earlier(secret.validUntil, end) }))
  const isEnded = ({ validUntil }: { validUntil: Date }): boolean => validUntil <= now
  return [...older.filter((secret) => !isEnded(secret)), ...older.filter(isEnded).slice(0, maxEnded)]
}

const earlier = (one: Date | null, other: Date): Date => (one !== null && one < other ? one : other)
