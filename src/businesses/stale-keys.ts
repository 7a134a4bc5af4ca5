import { nativeCollection } from '../mongo/collection.ts'
import { inBatches } from '../mongo/in-batches.ts'
import type { Deps } from '../platform/deps.ts'
import type { ApiKey } from './api-key.ts'

/** Has an unexpired secret that was hashed with the previous SECRET_KEY, or with one that is no longer configured. */
export interface StaleKey {
  id: string
  /** Prefix and last four characters of the current secret. */
  key: string
  business: string
  /**
   * ISO 8601: when the overlap of the last stale secret ends, and the key stops being stale. Null if the current secret
   * is stale: the key then stays stale until it's rehashed, rotated or revoked.
   */
  endsAt: string | null
}

/** All keys are stale right after a change of SECRET_KEY, so the lists need a limit. */
const maxListed = 100

export interface StaleKeys {
  /** Keys with a secret that was hashed with the previous SECRET_KEY. */
  staleCount: number
  /** The first `maxListed` of those that `staleCount` counts. */
  staleKeys: StaleKey[]
  /** Keys with a secret that doesn't work, because its SECRET_KEY is no longer configured. */
  unreadableCount: number
  /** The first `maxListed` of those that `unreadableCount` counts. */
  unreadableKeys: StaleKey[]
}

type Needs = Pick<Deps, 'ApiKey' | 'secrets' | 'now'>

/** Reads all API keys. Revoked keys and secrets whose overlap has ended don't count. */
export async function findStaleKeys(deps: Needs): Promise<StaleKeys> {
  const found: StaleKeys = { staleCount: 0, staleKeys: [], unreadableCount: 0, unreadableKeys: [] }
  const all = nativeCollection(deps.ApiKey).find({}, { sort: { _id: 1 }, batchSize: 250 })
  await inBatches(all, (keys) => {
    for (const key of keys.filter(({ status }) => status !== 'revoked')) {
      const stale = staleSecrets(deps, key)
      const needed = stale.filter(({ pepper }) => isConfigured(deps, pepper))
      const gone = stale.filter((secret) => !needed.includes(secret))
      if (needed.length > 0) {
        found.staleCount += 1
        if (found.staleKeys.length < maxListed) found.staleKeys.push(staleKey(key, needed))
      }
      if (gone.length > 0) {
        found.unreadableCount += 1
        if (found.unreadableKeys.length < maxListed) found.unreadableKeys.push(staleKey(key, gone))
      }
    }
  })
  return found
}

/** Still valid, but not hashed with the current SECRET_KEY. */
function staleSecrets({ secrets, now }: Needs, key: ApiKey): ApiKey['secrets'] {
  const at = now()
  return key.secrets.filter(
    ({ pepper, validUntil }) => pepper !== secrets.keyIds[0] && (validUntil === null || validUntil > at),
  )
}

const isConfigured = ({ secrets }: Needs, pepper: string): boolean => secrets.keyIds.includes(pepper)

function staleKey(
  { _id: id, prefix, last4, businessId: business }: ApiKey,
  needed: ApiKey['secrets'],
): StaleKey {
  const ends = needed.flatMap(({ validUntil }) => validUntil ?? [])
  const last = ends.length === needed.length ? Math.max(...ends.map(Number)) : null
  return {
    id,
    key: `${prefix}…${last4}`,
    business,
    endsAt: last === null ? null : new Date(last).toISOString(),
  }
}
