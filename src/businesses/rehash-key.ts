import type { Deps } from '../deps.ts'
import type { StoredSecret } from './api-key.ts'

/**
 * The minimum time that a new hash is kept: longer than a restart of all processes takes. While only some processes
 * have swapped the two SECRET_KEYs, each side would rehash a key that the other has just rehashed.
 */
const minAgeMs = 3_600_000

/**
 * Rehashes the secret of a key that was just used with the current SECRET_KEY, so that the previous one can be removed
 * eventually. Runs in the background. After a failure, the next use of the key retries.
 */
export function rehashWithCurrent(
  deps: Pick<Deps, 'batchers' | 'secrets' | 'now'>,
  { keyId, secret, hash: to }: { keyId: string; secret: StoredSecret; hash: string },
  deadlineAt: number,
): void {
  const [pepper] = deps.secrets.keyIds
  const at = deps.now()
  if (secret.pepper === pepper) return
  if (secret.rehashedAt !== undefined && at.getTime() - secret.rehashedAt.getTime() < minAgeMs) return
  deps.batchers.rehashKey({ keyId, from: secret.hash, to, pepper, at }, deadlineAt).catch(() => undefined)
}
