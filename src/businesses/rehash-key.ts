import type { Deps } from '../deps.ts'
import type { StoredSecret } from './api-key.ts'

/**
 * Longer than it takes to start every process anew: while some have exchanged the two SECRET_KEYs and some have not, each would
 * move a key that the other has just moved. So it moves once, and back only when the exchange itself is taken back.
 */
const stayMs = 3_600_000

/**
 * Lets the secret of a key that somebody has just shown rest on the current SECRET_KEY, so that the previous one may go some day. Nobody
 * waits for it, and a failure is forgotten: the next use tries again.
 */
export function rehashWithCurrent(
  deps: Pick<Deps, 'batchers' | 'secrets' | 'now'>,
  { keyId, secret, hash: to }: { keyId: string; secret: StoredSecret; hash: string },
  deadlineAt: number,
): void {
  const [pepper] = deps.secrets.keyIds
  const at = deps.now()
  if (secret.pepper === pepper) return
  if (secret.rehashedAt !== undefined && at.getTime() - secret.rehashedAt.getTime() < stayMs) return
  deps.batchers.rehashKey({ keyId, from: secret.hash, to, pepper, at }, deadlineAt).catch(() => undefined)
}
