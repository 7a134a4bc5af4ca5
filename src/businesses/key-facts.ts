import type { ApiScope } from '../../schemas/scopes.ts'
import { type IdPageRequest, mapIdPage, readPageById } from '../mongo/id-page.ts'
import type { Deps } from '../platform/deps.ts'
import { omitUndefined } from '../platform/without-undefined.ts'
import { type ApiKey, type KeySecret, looksLikeApiKey } from './api-key.ts'
import type { Business } from './business.ts'

export interface SecretFacts extends Pick<KeySecret, 'last4' | 'validUntil'> {
  state: 'current' | 'overlap' | 'ended'
}

export interface KeyFacts extends Omit<ApiKey, '_id' | 'prefix' | 'last4' | 'secrets'> {
  id: string
  key: string
  secrets: SecretFacts[]
}

/** In the order in which `identifyByApiKey` checks them. */
const keyBlocks = {
  'key-suspended': ({ status }) => status === 'suspended',
  'key-revoked': ({ status }) => status === 'revoked',
  'business-disabled': (_, { apiEnabled }) => !apiEnabled,
  'business-suspended': (_, { suspended }) => suspended,
  'live-not-approved': ({ mode }, { liveApproved }) => mode === 'live' && !liveApproved,
} satisfies Record<string, (key: ApiKey, business: Business) => boolean>

export type KeyBlockReason = keyof typeof keyBlocks | 'secret-ended'

export interface KeyDetails extends KeyFacts {
  businessName: string
  blockedBy: KeyBlockReason[]
}

function keyFacts(apiKey: ApiKey, now: Date): KeyFacts {
  const { _id: id, businessId, mode, kind, status, scopes, ipAllowlist, createdAt, lastUsedDay } = apiKey
  const secrets = apiKey.secrets.map(
    ({ last4, validUntil }): SecretFacts => ({ last4, state: stateOf(validUntil, now), validUntil }),
  )
  const key = `${apiKey.prefix}…${apiKey.last4}`
  return { id, key, businessId, mode, kind, status, scopes, ipAllowlist, createdAt, lastUsedDay, secrets }
}

function stateOf(validUntil: Date | null, now: Date): SecretFacts['state'] {
  if (validUntil === null) return 'current'
  return validUntil > now ? 'overlap' : 'ended'
}

type Reads = Pick<Deps, 'ApiKey' | 'Business' | 'now'>

export async function lookUpKey(deps: Reads, id: string): Promise<KeyDetails | null> {
  const key = await deps.ApiKey.findOne({ _id: id }).lean<ApiKey | null>()
  return key === null ? null : inDetail(deps, key)
}

async function inDetail(deps: Reads, key: ApiKey): Promise<KeyDetails> {
  const business = await deps.Business.findOne({ _id: key.businessId }).lean<Business | null>()
  const blocks = Object.keys(keyBlocks) as (keyof typeof keyBlocks)[]
  const blockedBy = business === null ? [] : blocks.filter((block) => keyBlocks[block](key, business))
  return { ...keyFacts(key, deps.now()), businessName: business?.name ?? '', blockedBy }
}

interface KeyFilter extends Partial<Pick<ApiKey, 'businessId' | 'mode' | 'kind' | 'status'>> {
  scope?: ApiScope
  last4?: string
}

export async function listKeys(
  deps: Pick<Deps, 'ApiKey' | 'now'>,
  { scope, last4, ...filter }: KeyFilter,
  slice: IdPageRequest,
) {
  const where = omitUndefined({ ...filter, scopes: scope, 'secrets.last4': last4 })
  const page = await readPageById(deps.ApiKey, where, slice)
  return mapIdPage(page, (key) => keyFacts(key, deps.now()))
}

export type RecognisedKey = KeyDetails & { matched: SecretFacts['state'] }

export const unknownKeyTexts = {
  mistyped: 'The key is mistyped or incomplete: its checksum is wrong. No such key was ever issued.',
  unknown:
    'The key is well formed but unknown: it belongs to another installation, its secret ended long ago, or it was ' +
    'last used with a SECRET_KEY that is not configured.',
}

export async function recogniseKey(
  deps: Pick<Deps, 'ApiKey' | 'Business' | 'secrets' | 'now'>,
  text: string,
): Promise<RecognisedKey | keyof typeof unknownKeyTexts> {
  if (!looksLikeApiKey(text)) return 'mistyped'
  const hashes = deps.secrets.hashes(text)
  const key = await deps.ApiKey.findOne({ 'secrets.hash': { $in: hashes } }).lean<ApiKey | null>()
  const secret = key?.secrets.find(({ hash }) => hashes.includes(hash))
  if (key === null || secret === undefined) return 'unknown'
  const matched = stateOf(secret.validUntil, deps.now())
  const { blockedBy, ...facts } = await inDetail(deps, key)
  return { ...facts, matched, blockedBy: matched === 'ended' ? ['secret-ended', ...blockedBy] : blockedBy }
}
