import type { PointLimit } from '../limits/counter.ts'
import type { LimitSummary } from '../limits/limit.ts'
import type { Deps } from '../platform/deps.ts'
import { throttleLog } from '../platform/log.ts'
import { ipPrefixesOf } from '../platform/network.ts'

/** Larger networks are allowed more failures (`share` in network.ts). */
export interface NetworkBudget extends LimitSummary {
  name: string
  perNetwork: number
  seconds: number
  /** The higher this is, the more checks a network can have in progress. */
  perFailure: number
  /**
   * `stored` counts in MongoDB before a check, so no budget is exceeded.
   * `process` counts running checks in memory, so a success needs no write.
   */
  countsAhead: 'stored' | 'process'
}

/** If checks in progress close a network, it stays closed for this long. */
const inProgressMs = 1000

/** Call either `fail` or `leave`, exactly once. */
export type NetworkCheckEnd = { fail(): Promise<unknown>; leave(): Promise<unknown> }
export type NetworkCheck = ({ isOpen: true } & NetworkCheckEnd) | { isOpen: false; closedMs: number }

/** There is no overall limit, or an attacker could shut out all customers. */
export function createNetworkLimit(
  { counters, log }: Pick<Deps, 'counters' | 'log'>,
  { name, perNetwork, perFailure, seconds, countsAhead }: NetworkBudget,
) {
  const warn = throttleLog(60_000, (fields) => log.warn(fields, 'network.closed'))

  /** Returns how long a network stays closed, in ms. */
  function longest(bounds: readonly PointLimit[], closedMs: number[], reported: readonly PointLimit[]) {
    for (const [index, bound] of bounds.entries())
      if (closedMs[index] !== 0 && reported.includes(bound))
        warn({ kind: name, network: bound.id.split(' ').at(-1) })
    return Math.max(0, ...closedMs)
  }

  async function openStored(bounds: readonly PointLimit[]): Promise<NetworkCheck> {
    const closedMs = longest(bounds, await counters.take(bounds), bounds.slice(1))
    return closedMs > 0 ? { isOpen: false, closedMs } : { isOpen: true, ...endOf(bounds) }
  }

  const endOf = (bounds: readonly PointLimit[], countedAt?: Date): NetworkCheckEnd => ({
    fail: async () => perFailure > 1 && counters.add(bounds, perFailure - 1),
    leave: () => counters.giveBack(bounds, countedAt),
  })

  const inProgress = new Map<string, number>()
  function countInProgress(id: string, by: 1 | -1): number {
    const count = (inProgress.get(id) ?? 0) + by
    if (count === 0) inProgress.delete(id)
    else inProgress.set(id, count)
    return count
  }

  async function openInProcess(bounds: readonly PointLimit[]): Promise<NetworkCheck> {
    const own = bounds[0]?.id ?? ''
    const running = countInProgress(own, 1)
    const end = (): void => void countInProgress(own, -1)
    try {
      const looking = bounds.map((bound, size) => counters.look(bound, size === 0 ? running : 1))
      const waitsMs = (await Promise.all(looking)).map((standing) => standing.closedMs)
      const closedMs = longest(bounds, waitsMs, bounds)
      if (closedMs > 0) {
        end()
        return { isOpen: false, closedMs: Math.max(closedMs, inProgressMs) }
      }
    } catch (error) {
      end()
      throw error
    }
    const fail = () => counters.add(bounds, perFailure).finally(end)
    return { isOpen: true, fail, leave: async () => end() }
  }

  const boundsOf = (ip: string, owner?: string): PointLimit[] =>
    ipPrefixesOf(ip).map(({ range, share }) => ({
      id: [name, ...(owner === undefined ? [] : [owner]), range].join(' '),
      max: perNetwork * share * perFailure,
      seconds,
    }))
  const open = countsAhead === 'stored' ? openStored : openInProcess
  /** Checks are counted separately for each `owner`. */
  return Object.assign((ip: string, owner?: string) => open(boundsOf(ip, owner)), {
    /** Ends a stored check that another process may have started. */
    resume: (countedAt: Date, ip: string, owner?: string) => endOf(boundsOf(ip, owner), countedAt),
  })
}
