import type { Deps } from '../deps.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { inBatches } from '../mongo/in-batches.ts'
import type { ApiKey } from './api-key.ts'

/** A key whose secret was made with the previous SECRET_KEY, or with one that is not configured. */
export interface StaleKey {
  id: string
  /** As people tell keys apart: its prefix, and the last four characters of its current secret. */
  key: string
  business: string
  /** ISO 8601: from then on it needs nothing, for its overlap is over. Null: until it is used, rotated or revoked. */
  until: string | null
}

/** So many are listed: enough to begin with, and before the first key has moved it would be all that there are. */
const mostListed = 100

export interface StaleKeys {
  /** How many there are. */
  left: number
  /** The first of them. */
  listed: StaleKey[]
  /** How many rest on a key that is not configured, so that nobody can use them. */
  gone: number
  /** The first of those. */
  listedGone: StaleKey[]
}

type Needs = Pick<Deps, 'ApiKey' | 'secrets' | 'now'>

/** Goes through all API keys. Revoked ones, and secrets whose overlap is over, need nothing. */
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
        if (found.listed.length < mostListed) found.listed.push(asLeft(key, needed))
      }
      if (gone.length > 0) {
        found.gone += 1
        if (found.listedGone.length < mostListed) found.listedGone.push(asLeft(key, gone))
      }
    }
  })
  return found
}

/** Those that still work and are not known to rest on the current SECRET_KEY. */
function staleSecrets({ secrets, now }: Needs, key: ApiKey): ApiKey['secrets'] {
  const at = now()
  return key.secrets.filter(
    ({ pepper, validUntil }) => pepper !== secrets.keyIds[0] && (validUntil === null || validUntil > at),
  )
}

const isConfigured = ({ secrets }: Needs, pepper: string): boolean => secrets.keyIds.includes(pepper)

function asLeft(
  { _id: id, prefix, last4, businessId: business }: ApiKey,
  needed: ApiKey['secrets'],
): StaleKey {
  const ends = needed.flatMap(({ validUntil }) => validUntil ?? [])
  const last = ends.length === needed.length ? Math.max(...ends.map(Number)) : null
  return {
    id,
    key: `${prefix}…${last4}`,
    business,
    until: last === null ? null : new Date(last).toISOString(),
  }
}
