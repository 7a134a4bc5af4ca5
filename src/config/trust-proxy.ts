import { parseRange } from '../security/network.ts'
import { list } from './list.ts'

/**
 * Parses TRUST_PROXY, which specifies the proxies whose X-Forwarded-For header is trusted: a number of hops, or a list
 * of addresses and CIDR blocks. Returns null for anything else, and for a `/0` block, which Express rejects.
 */
export function parseTrust(text: string): number | readonly string[] | null {
  if (/^\d{1,2}$/.test(text)) return Number(text)
  const ranges = list(text).map(rangeOf)
  return ranges.every((range) => range !== null) ? ranges : null
}

function rangeOf(part: string): string | null {
  try {
    const [network, bits] = parseRange(part)
    return bits > 0 ? `${network.toString()}/${bits}` : null
  } catch {
    return null
  }
}
