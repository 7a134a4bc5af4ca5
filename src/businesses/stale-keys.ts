import { nativeCollection } from '../mongo/collection.ts'
import { inBatches } from '../mongo/in-batches.ts'
import type { Deps } from '../platform/deps.ts'
import type { ApiKey } from './api-key.ts'

/**
 * A key with an unexpired secret that was hashed with the previous SECRET_KEY, or with a SECRET_KEY that is no longer
 * configured.
 */
export interface StaleKey {
  id: string
  /** The key's prefix and the last four characters of its current secret. */
  key: string
  business: string
  /**
   * The time (ISO 8601) at which the overlap of the key's last stale secret ends and the key stops being stale. If the
   * key's current secret is stale, this is null, and the key stays stale until it is rehashed, rotated or revoked.
   */
  endsAt: string | null
}

/**
 * The maximum length of each list. The lists need a limit because all keys are stale immediately after a change of
 * SECRET_KEY.
 */
const maxListed = 100

export interface StaleKeys {
  /** The number of keys with a secret that was hashed with the previous SECRET_KEY. */
  left: number
  /** The first `maxListed` of the keys that are counted in `left`. */
  listed: StaleKey[]
  /**
   * The number of keys with a secret that does not work because it was hashed with a SECRET_KEY that is no longer
   * configured.
   */
  gone: number
  /** The first `maxListed` of the keys that are counted in `gone`. */
  listedGone: StaleKey[]
}

type Needs = Pick<Deps, 'ApiKey' | 'secrets' | 'now'>

/**
 * Reads all API keys, and counts and lists the stale keys. Revoked keys and secrets whose overlap has ended are not
 * included.
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

function staleKey({ _id: id, prefix, last4, businessId: business }: ApiKey, needed: ApiKey['secrets']): StaleKey {
  const ends = needed.flatMap(({ validUntil }) => validUntil ?? [])
  const last = ends.length === needed.length ? Math.max(...ends.map(Number)) : null
  return {
    id,
    key: `${prefix}…${last4}`,
    business,
    endsAt: last === null ? null : new Date(last).toISOString(),
  }
}
