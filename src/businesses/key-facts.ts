import type { Deps } from '../deps.ts'
import type { ApiKey } from './api-key.ts'
import type { Business } from './business.ts'

/** One of a key's secrets. An `overlap` secret works until `validUntil`, and an `ended` one no longer works. */
export interface SecretFacts {
  last4: string
  state: 'current' | 'overlap' | 'ended'
  validUntil: Date | null
}

/** The facts about a key that staff see. They contain neither the key nor a hash. */
export interface KeyFacts
  extends Pick<
    ApiKey,
    'businessId' | 'mode' | 'kind' | 'scopes' | 'ipAllowlist' | 'status' | 'createdAt' | 'lastUsedDay'
  > {
  id: string
  /** The key's prefix and the last four characters of its current secret, such as `sk_test_…abcd`. */
  key: string
  /** The current secret, followed by the earlier ones, newest first. */
  secrets: SecretFacts[]
}

/** A reason why requests with a key are rejected. */
export type Block =
  | 'key-suspended'
  | 'key-revoked'
  | 'secret-ended'
  | 'business-disabled'
  | 'business-suspended'
  | 'live-not-approved'

/** A key with the name of its business. `blockedBy` is empty if requests with the current secret are accepted. */
export interface KeyInDetail extends KeyFacts {
  businessName: string
  blockedBy: Block[]
}

export function keyFacts(apiKey: ApiKey, now: Date): KeyFacts {
  const { _id: id, businessId, mode, kind, status, scopes, ipAllowlist, createdAt, lastUsedDay } = apiKey
  const secrets = apiKey.secrets.map(({ last4, validUntil }) => ({
    last4,
    state: stateOf(validUntil, now),
    validUntil,
  }))
  const key = `${apiKey.prefix}…${apiKey.last4}`
  return { id, key, businessId, mode, kind, status, scopes, ipAllowlist, createdAt, lastUsedDay, secrets }
}

export function stateOf(validUntil: Date | null, now: Date): SecretFacts['state'] {
  if (validUntil === null) return 'current'
  return validUntil > now ? 'overlap' : 'ended'
}

type Reads = Pick<Deps, 'ApiKey' | 'Business' | 'now'>

/** Returns a key with its business. Returns null if there is no key with this id. */
export async function lookUpKey(deps: Reads, id: string): Promise<KeyInDetail | null> {
  const key = await deps.ApiKey.findOne({ _id: id }).lean<ApiKey | null>()
  return key === null ? null : inDetail(deps, key)
}

/** Adds the state of a key's business to the key's facts. */
export async function inDetail(deps: Reads, key: ApiKey): Promise<KeyInDetail> {
  const business = await deps.Business.findOne({ _id: key.businessId }).lean<Business | null>()
  const blocks = business === null ? [] : blocksOf(key, business)
  return { ...keyFacts(key, deps.now()), businessName: business?.name ?? '', blockedBy: blocks }
}

/** Returns every reason why requests with the key are rejected, in the order in which `identify` checks them. */
function blocksOf({ status, mode }: ApiKey, { apiEnabled, suspended, liveApproved }: Business): Block[] {
  const blocks: [Block, boolean][] = [
    ['key-suspended', status === 'suspended'],
    ['key-revoked', status === 'revoked'],
    ['business-disabled', !apiEnabled],
    ['business-suspended', suspended],
    ['live-not-approved', mode === 'live' && !liveApproved],
  ]
  return blocks.flatMap(([block, applies]) => (applies ? [block] : []))
}
