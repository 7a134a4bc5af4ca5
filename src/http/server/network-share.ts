import { createCountsByOwner } from '../../process/counts-by-owner.ts'
import { prefixesOf } from '../../security/network.ts'

/**
 * The share of all connections that one network may have open. Browsers open up to six connections, so a tenth is
 * enough for all customers of a mobile carrier who share one address.
 */
const shareOfNetwork = 1 / 10
/**
 * The share of each prefix is this many times the share of the next smaller prefix. The largest prefix, an IPv6 /32,
 * has a share of four fifths.
 */
const perSize = 2

/** Limits how many connections each network may have open, so that no network can use up all the connections. */
export interface NetworkShares {
  /**
   * Counts a new connection from an address towards each prefix that contains the address. If one of these prefixes has
   * already used up its share, returns `closed` and does not count the connection.
   */
  take(ip: string): { outcome: 'taken'; free(): void } | { outcome: 'closed'; network: string; max: number }
}

export function createNetworkShares(maxConnections: number): NetworkShares {
  const open = createCountsByOwner()
  return {
    take(ip) {
      const prefixes = prefixesOf(ip).map(({ range }, size) => ({
        range,
        max: maxConnections * shareOfNetwork * perSize ** size,
      }))
      const full = prefixes.find(({ range, max }) => open.of(range) >= max)
      if (full !== undefined) return { outcome: 'closed', network: full.range, max: full.max }
      for (const { range } of prefixes) open.add(range, 1)
      return {
        outcome: 'taken',
        free() {
          for (const { range } of prefixes) open.add(range, -1)
        },
      }
    },
  }
}
