import { parseRange } from '../security/network.ts'
import { list } from './list.ts'

/**
 * TRUST_PROXY: the proxies whose X-Forwarded-For is believed, as a number of hops or as CIDRs, of an address as well; null if it is neither.
 * One that names everybody (`/0`) is neither: Express takes none.
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
