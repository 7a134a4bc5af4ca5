import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Deps } from '../deps.ts'
import { refuse } from '../errors.ts'
import { looksLikeKey } from './api-key.ts'
import type { Caller } from './caller.ts'
import type { KeyAndBusiness } from './find-key.ts'

/**
 * Who holds this key, if they may come in: INVALID_API_KEY, API_ACCESS_NOT_ACTIVE, FEATURE_DISABLED,
 * LIVE_ACCESS_NOT_APPROVED, IP_NOT_ALLOWED, in this order (SPEC 5.2). `until` is the deadline of the look-up.
 */
export async function identify(
  deps: Pick<Deps, 'lanes' | 'secrets' | 'now'>,
  apiKey: string,
  clientAddress: string,
  until: number,
): Promise<Caller> {
  const key = looksLikeKey(apiKey) ? await findByAnyHash(deps, apiKey, until) : null
  if (key === null) throw refuse('INVALID_API_KEY')
  if (key.status !== 'active') throw refuse('API_ACCESS_NOT_ACTIVE')
  if (!key.business.apiEnabled) throw refuse('FEATURE_DISABLED', { retryAfterSeconds: 60 })
  if (key.mode === 'live' && !key.business.liveApproved) throw refuse('LIVE_ACCESS_NOT_APPROVED')
  if (!isAllowedFrom(key.ipAllowlist, clientAddress)) throw refuse('IP_NOT_ALLOWED')
  const { _id: keyId, businessId, kind } = key
  return {
    keyId,
    businessId,
    kind,
    sandbox: key.mode === 'test',
    scopes: new Set(key.scopes),
    ip: clientAddress,
  }
}

/** Under the current pepper, or the one before it; a secret whose overlap is over is as unknown as any. */
async function findByAnyHash(
  deps: Pick<Deps, 'lanes' | 'secrets' | 'now'>,
  apiKey: string,
  until: number,
): Promise<KeyAndBusiness | null> {
  for (const hash of deps.secrets.hashes(apiKey)) {
    const key = await deps.lanes.findKey(hash, until)
    const secret = key?.secrets.find((each) => each.hash === hash)
    if (key && secret && (secret.validUntil === null || secret.validUntil > deps.now())) return key
  }
  return null
}

/** IPv4, IPv6 and CIDR; an IPv4-mapped IPv6 address is IPv4. An empty list allows every address. */
export function isAllowedFrom(allowlist: readonly string[], clientAddress: string): boolean {
  if (allowlist.length === 0) return true
  if (isIP(clientAddress) === 0) return false
  const client = ipaddr.process(clientAddress)
  return allowlist.some((entry) => {
    const [network, bits] = parseRange(entry)
    return client.kind() === network.kind() && client.match(network, bits)
  })
}

/** An address or CIDR as network and prefix length; `::ffff:a.b.c.d/n` as IPv4. Throws on anything else. */
export function parseRange(entry: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  // ipaddr reads `10.1` and `010.0.0.1` too, as addresses that nobody meant.
  const [address = '', bits = '0'] = entry.split('/')
  if (isIP(address) === 0 || !/^(0|[1-9]\d{0,2})$/.test(bits))
    throw new Error(`${entry} is no address and no CIDR`)
  if (!entry.includes('/')) {
    const single = ipaddr.process(entry)
    return [single, single.kind() === 'ipv4' ? 32 : 128]
  }
  const [network, length] = ipaddr.parseCIDR(entry)
  if (network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress() && length >= 96)
    return [network.toIPv4Address(), length - 96]
  return [network, length]
}
