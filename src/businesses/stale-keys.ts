import { nativeCollection } from '../mongo/collection.ts'
import { inBatches } from '../mongo/in-batches.ts'
import type { Deps } from '../platform/deps.ts'
import type { ApiKey, StoredSecret } from './api-key.ts'

/** All keys are stale right after a change of SECRET_KEY. */
const maxListed = 100

/** The SECRET_KEY of `stale` keys is the previous one. That of `unreadable` keys is no longer configured. */
export async function findStaleKeys({ ApiKey, secrets, now }: Pick<Deps, 'ApiKey' | 'secrets' | 'now'>) {
  const stale = { count: 0, keys: [] as StaleKey[] }
  const unreadable = { count: 0, keys: [] as StaleKey[] }
  const [current, ...previous] = secrets.keyIds
  const options = { sort: { _id: 1 }, batchSize: 250 } as const
  const usable = nativeCollection(ApiKey).find({ status: { $ne: 'revoked' } }, options)
  await inBatches(usable, (keys) => {
    const at = now()
    for (const key of keys) {
      const valid = key.secrets.filter(({ validUntil }) => validUntil === null || validUntil > at)
      const old = valid.filter(({ pepper }) => pepper !== current)
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
