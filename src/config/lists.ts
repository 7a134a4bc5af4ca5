import { parseRange } from '../platform/network.ts'

/** Splits a comma-separated list and drops blank items. */
export const list = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** Parses an address or a CIDR block. Returns null if it is neither. */
export function readRange(part: string): ReturnType<typeof parseRange> | null {
  try {
    return parseRange(part)
  } catch {
    return null
  }
}

/**
 * Parses TRUST_PROXY, which specifies the proxies whose X-Forwarded-For header is trusted: a number of hops, or a list
 * of addresses and CIDR blocks. Returns null for anything else, and for a `/0` block, which Express rejects.
 */
export function parseTrust(text: string): number | readonly string[] | null {
  if (/^\d{1,2}$/.test(text)) return Number(text)
  const ranges = list(text).map((part) => {
    const range = readRange(part)
    return range !== null && range[1] > 0 ? `${range[0].toString()}/${range[1]}` : null
  })
  return ranges.every((range) => range !== null) ? ranges : null
}
