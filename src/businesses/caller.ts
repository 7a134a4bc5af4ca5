import type { ApiScope } from '../../schemas/scopes.ts'
import type { Deps } from '../platform/deps.ts'
import { type ErrorCode, refuse } from '../platform/errors.ts'
import { isIpWithin, parseIpRange } from '../platform/network.ts'
import type { Author } from '../security/actor.ts'
import { type ApiKey, looksLikeApiKey } from './api-key.ts'
import type { Business } from './business.ts'
import { recordKeyUse, rehashApiKey } from './key-batchers.ts'

/** The log identifies even a suspended or revoked key. */
export type IdentifiedKey = Pick<Caller, 'keyId' | 'businessId' | 'sandbox'>

/** Someone who acts on a page, without an API key. */
export interface ActingPerson extends Pick<Required<Author>, 'expectValid'> {
  id: string
  name: string
  /** The form at the till that creates an intent. */
  form?: string
}

export interface Caller extends Pick<ApiKey, 'businessId' | 'kind'>, Pick<Business, 'limits' | 'commission'> {
  keyId: string
  sandbox: boolean
  scopes: ReadonlySet<ApiScope>
  ip: string
  person?: ActingPerson
}

type Acting = Pick<Caller, 'keyId' | 'ip' | 'sandbox' | 'person'>

export const byCaller = ({ keyId, ip: from, sandbox, person }: Acting): Author =>
  person === undefined
    ? { actor: { kind: 'merchant', name: keyId, from }, reason: null, sandbox }
    : {
        actor: { kind: 'person', name: person.id, from },
        reason: null,
        sandbox,
        expectValid: person.expectValid,
      }

/** Throws `code` if null, or SANDBOX_MISMATCH if in the other environment. */
export function requireOwned<Found extends Pick<Caller, 'sandbox'>>(
  { sandbox }: Pick<Caller, 'sandbox'>,
  found: Found | null | undefined,
  code: ErrorCode,
): Found {
  if (!found) throw refuse(code)
  if (found.sandbox !== sandbox) throw refuse('SANDBOX_MISMATCH')
  return found
}

type IdentifyDeps = Pick<Deps, 'batchers' | 'secrets' | 'now'>

/** Checks in the order of SPEC 5.2. */
export async function identifyByApiKey(
  deps: IdentifyDeps,
  apiKey: string,
  clientAddress: string,
  deadlineAt: number,
  onFound: (key: IdentifiedKey) => void,
): Promise<Caller> {
  const key = looksLikeApiKey(apiKey) ? await findByAnyHash(deps, apiKey, deadlineAt) : null
  if (key === null) throw refuse('INVALID_API_KEY')
  const found = { keyId: key._id, businessId: key.businessId, sandbox: key.mode === 'test' }
  onFound(found)
  if (key.status !== 'active') throw refuse('API_ACCESS_NOT_ACTIVE')
  const { apiEnabled, suspended, liveApproved } = key.business
  if (suspended) throw disabled('This business is suspended. Contact support.')
  if (!apiEnabled) throw disabled('The developer API is disabled for this business. Contact support.')
  if (key.mode === 'live' && !liveApproved) throw refuse('LIVE_ACCESS_NOT_APPROVED')
  const allowed = key.ipAllowlist.map(parseIpRange)
  if (allowed.length > 0 && !isIpWithin(allowed, clientAddress)) throw refuse('IP_NOT_ALLOWED')
  recordKeyUse(deps, key, deadlineAt)
  const { limits, commission } = key.business
  return { ...found, kind: key.kind, scopes: new Set(key.scopes), limits, commission, ip: clientAddress }
}

const disabled = (message: string) => refuse('FEATURE_DISABLED', { message, retryAfterSeconds: 60 })

/** Another request may rehash the key, so we look it up again at the end. */
async function findByAnyHash(deps: IdentifyDeps, apiKey: string, deadlineAt: number) {
  const hashes = deps.secrets.hashes(apiKey)
  const [current = ''] = hashes
  for (const hash of hashes.length > 1 ? [...hashes, current] : hashes) {
    const key = await deps.batchers.findKey(hash, deadlineAt)
    const secret = key?.secrets.find((each) => each.hash === hash)
    if (key && secret && (secret.validUntil === null || secret.validUntil > deps.now())) {
      rehashApiKey(deps, { keyId: key._id, secret, hash: current }, deadlineAt)
      return key
    }
  }
  return null
}
