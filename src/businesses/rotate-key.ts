import { type ApiKey, newKey } from './api-key.ts'
import { type IssuedKey, type KeyDeps, newStoredSecret } from './issue-key.ts'

/**
 * Gives a key a new secret. The key's id stays the same. The old secret keeps working for `overlapSeconds`. Returns
 * null if the key does not exist or is revoked.
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
  // The filter compares the first secret in the list, which is the current secret. If another rotation has replaced
  // that secret since the key was read, the filter does not match, and this rotation starts again.
  const rotated = await deps.ApiKey.updateOne(
    {
      _id: id,
      status: { $in: ['active', 'suspended'] },
      'secrets.0.hash': found.secrets[0]?.hash,
    },
    {
      $set: { secrets: [newStoredSecret(deps, key), ...older], last4: key.slice(-4) },
    },
  )
  return rotated.matchedCount === 1 ? { id, key } : rotateKey(deps, id, overlapSeconds)
}

const earlier = (one: Date | null, other: Date): Date => (one !== null && one < other ? one : other)
