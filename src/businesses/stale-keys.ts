import { nativeCollection } from '../mongo/collection.ts'
import { inBatches } from '../mongo/in-batches.ts'
import type { Deps } from '../platform/deps.ts'
import type { ApiKey, StoredSecret } from './api-key.ts'

/** All keys are stale right after a change of SECRET_KEY. */
const maxListed = 100

/**
 * Lists keys with a valid secret that was hashed with the previous SECRET_KEY (`stale`), or with one that is no
 * longer configured (`unreadable`).
 */
export async function findStaleKeys({ ApiKey, secrets, now }: Pick<Deps, 'ApiKey' | 'secrets' | 'now'>) {
  const stale = { count: 0, keys: [] as StaleKey[] }
  const unreadable = { count: 0, keys: [] as StaleKey[] }
  const [current, ...previous] = secrets.keyIds
  const valid = nativeCollection(ApiKey).find(
    { status: { $ne: 'revoked' } },
    { sort: { _id: 1 }, batchSize: 250 },
  )
  await inBatches(valid, (keys) => {
    const at = now()
    for (const key of keys) {
      const old = key.secrets.filter(
        ({ pepper, validUntil }) => pepper !== current && (validUntil === null || validUntil > at),
      )
      const isReadable = ({ pepper }: StoredSecret) => previous.includes(pepper)
      add(stale, key, old.filter(isReadable))
      add(
        unreadable,
        key,
        old.filter((secret) => !isReadable(secret)),
      )
    }
  })
  return { stale, unreadable }
}

interface StaleKey {
  id: string
  key: string
  business: string
  /** ISO 8601. Null if the key stays stale until it's rehashed, rotated or revoked. */
  endsAt: string | null
}

function add(list: { count: number; keys: StaleKey[] }, key: ApiKey, secrets: StoredSecret[]): void {
  if (secrets.length === 0) return
  list.count += 1
  if (list.keys.length === maxListed) return
  const ends = secrets.flatMap(({ validUntil }) => validUntil ?? [])
  const endsAt = ends.length < secrets.length ? null : new Date(Math.max(...ends.map(Number))).toISOString()
  list.keys.push({ id: key._id, key: `${key.prefix}…${key.last4}`, business: key.businessId, endsAt })
}
