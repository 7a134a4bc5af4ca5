import type { Deps } from '../deps.ts'
import type { StoredSecret } from './api-key.ts'

/**
 * The minimum time between two rehashes of a secret. It must be longer than the time that a restart of all processes
 * takes. During a restart that swaps the two SECRET_KEYs, the old and the new processes would otherwise keep undoing
 * each other's rehashes.
 */
const minAgeMs = 3_600_000

/**
 * Rehashes the secret of a key that was just used, so that operators can eventually remove the previous SECRET_KEY.
 * Does not wait for the write. If the write fails, the next use of the key rehashes the secret.
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
