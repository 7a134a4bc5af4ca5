import type { LimitedResource, PerOwnerLimit } from '../../limits/limit.ts'
import { createShare } from '../../limits/share.ts'
import { ipPrefixesOf } from '../../platform/network.ts'

/** A connection takes up to 18 KB while headers arrive slowly (measured). */
export const maxConnections = 10_000
const otherDescriptors = 1_000

/** Node.js raises the soft limit on open files to the hard limit. */
const { userLimits } = process.report.getReport() as {
  userLimits?: { open_files: { soft: number | 'unlimited' } }
}
const soft = userLimits?.open_files.soft
const openFiles = typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY

/** Without free file descriptors, a process couldn't even reach MongoDB. */
export const limitToOpenFiles = (descriptors = openFiles, processes = 1): number =>
  Math.min(
    Math.ceil(maxConnections / processes),
    Math.max(descriptors - otherDescriptors, Math.floor(descriptors / 2)),
  )

/** A tenth is enough for a carrier whose customers share one address. */
const partOf = (total: number, level: number): number => Math.ceil((total / 10) * 2 ** level)

const prefixes = ['network', 'IPv4 /24 or IPv6 /48', 'IPv4 /16 or IPv6 /40', 'IPv6 /32']

export const connectionLimits = (total: number) =>
  ({
    connections: {
      what: 'Connections, except from trusted proxies',
      total,
      parts: prefixes.map((owner, level) => ({ owner, max: partOf(total, level) })) as [PerOwnerLimit],
      gets: 'the connection is closed',
    },
  }) satisfies Record<string, LimitedResource>

export function createNetworkShares(total: number) {
  const share = createShare(connectionLimits(total))
  return {
    take(ip: string) {
      const owners = ipPrefixesOf(ip).map(({ range }) => range)
      const held = share.takeNow(owners, { connections: 1 })
      if (held !== null) return { outcome: 'taken', free: held.free } as const
      const level = share.blockOf(owners, { connections: 1 })?.level ?? 0
      return { outcome: 'closed', network: owners[level] ?? '', max: partOf(total, level) } as const
    },
  }
}
