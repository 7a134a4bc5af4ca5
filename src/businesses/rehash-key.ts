import type { Deps } from '../deps.ts'
import type { StoredSecret } from './api-key.ts'

/**
 * The minimum time between two rehashes of a secret. It must be longer than a restart of all processes. While only some
 * processes have swapped the two SECRET_KEYs, the old and the new processes would otherwise keep undoing each other's
 * rehashes.
 */
const minAgeMs = 3_600_000

/**
 * Rehashes the secret of a key that was just used, so that the previous SECRET_KEY can be removed eventually. Runs in
 * the background. If it fails, it is retried the next time the key is used.
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
