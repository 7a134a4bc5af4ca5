import { rawCollection } from '../mongo/collection.ts'
import { runInBatches } from '../mongo/in-batches.ts'
import type { Deps } from '../platform/deps.ts'
import type { ApiKey, KeySecret } from './api-key.ts'

const maxListed = 100

/** The SECRET_KEY of an `unreadable` key is no longer set. */
export async function findStaleKeys({ ApiKey, secrets, now }: Pick<Deps, 'ApiKey' | 'secrets' | 'now'>) {
  const none = () => ({ count: 0, keys: [] as StaleKey[] })
  const found = { stale: none(), unreadable: none() }
  const [current, ...previous] = secrets.keyIds
  const options = { sort: { _id: 1 }, batchSize: 250 } as const
  const usable = rawCollection(ApiKey).find({ status: { $ne: 'revoked' } }, options)
  await runInBatches(usable, (keys) => {
    const at = now()
    for (const key of keys) {
      const valid = key.secrets.filter(({ validUntil }) => validUntil === null || validUntil > at)
      const old = valid.filter(({ pepper }) => pepper !== current)
      const kinds = Map.groupBy(old, ({ pepper }) => (previous.includes(pepper) ? 'stale' : 'unreadable'))
      for (const [kind, each] of kinds) {
        const list = found[kind]
        list.count += 1
        if (list.keys.length < maxListed) list.keys.push(staleKey(key, each))
      }
    }
  })
  return found
}

type StaleKey = ReturnType<typeof staleKey>

function staleKey({ _id: id, prefix, last4, businessId: business }: ApiKey, secrets: KeySecret[]) {
  const ends = secrets.flatMap(({ validUntil }) => validUntil ?? [])
  // Null if the key stays stale until it's rehashed, rotated or revoked.
  const endsAt = ends.length < secrets.length ? null : new Date(Math.max(...ends.map(Number))).toISOString()
  return { id, key: `${prefix}…${last4}`, business, endsAt }
}
