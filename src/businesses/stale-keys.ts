import type { Deps } from '../deps.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { inBatches } from '../mongo/in-batches.ts'
import type { ApiKey } from './api-key.ts'

/**
 * A key with a working secret that was hashed with the previous SECRET_KEY, or with a SECRET_KEY that is not
 * configured.
 */
export interface StaleKey {
  id: string
  /** The key's prefix and the last four characters of its current secret. */
  key: string
  business: string
  /**
   * The end of the old secret's overlap (ISO 8601), after which the key is no longer stale. If null, the key stays
   * stale until it is used, rotated or revoked.
   */
  endsAt: string | null
}

/** The maximum length of each list. Immediately after SECRET_KEY is changed, all keys are stale. */
const maxListed = 100

export interface StaleKeys {
  /** The number of keys that were hashed with the previous SECRET_KEY. */
  left: number
  /** The first of the keys that `left` counts. */
  listed: StaleKey[]
  /** The number of keys that do not work, because they were hashed with a SECRET_KEY that is not configured. */
  gone: number
  /** The first of the keys that `gone` counts. */
  listedGone: StaleKey[]
}

type Needs = Pick<Deps, 'ApiKey' | 'secrets' | 'now'>

/**
 * Reads all API keys and returns the stale ones. Revoked keys are not stale, and neither are secrets whose overlap has
 * ended.
 */
export async function findStaleKeys(deps: Needs): Promise<StaleKeys> {
  const found: StaleKeys = { left: 0, listed: [], gone: 0, listedGone: [] }
  const all = nativeCollection(deps.ApiKey).find({}, { sort: { _id: 1 }, batchSize: 250 })
  await inBatches(all, (keys) => {
    for (const key of keys.filter(({ status }) => status !== 'revoked')) {
      const stale = staleSecrets(deps, key)
      const needed = stale.filter(({ pepper }) => isConfigured(deps, pepper))
      const gone = stale.filter((secret) => !needed.includes(secret))
      if (needed.length > 0) {
        found.left += 1
        if (found.listed.length < maxListed) found.listed.push(staleKey(key, needed))
      }
      if (gone.length > 0) {
        found.gone += 1
        if (found.listedGone.length < maxListed) found.listedGone.push(staleKey(key, gone))
      }
    }
  })
  return found
}

/** Returns the key's secrets that are still valid but were not hashed with the current SECRET_KEY. */
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
