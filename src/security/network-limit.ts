import type { Bound } from '../limits/counter.ts'
import type { Limit } from '../limits/limit.ts'
import type { Deps } from '../platform/deps.ts'
import { throttled } from '../platform/log.ts'
import { prefixesOf } from '../platform/network.ts'

/** Limits the failures of one network in a period. A larger prefix may have `share` times as many. */
export interface NetworkBudget extends Limit {
  name: string
  perNetwork: number
  seconds: number
  /**
   * How many points a failure costs; a check in progress costs one. If it's more than one, a network can have several
   * honest checks in progress for each failure that its budget allows.
   */
  perFailure: number
  /**
   * Where a check counts before its outcome is known. `stored` counts it in MongoDB for every prefix, so concurrent
   * checks can't exceed any budget. `process` counts it only in this process and only for its own network, so a
   * success writes nothing. In return, each process lets a network have its whole budget in progress, and a larger
   * prefix's budget may be exceeded.
   */
  countsAhead: 'stored' | 'process'
}

/** How long a network is closed, at least, if checks in progress use up its budget. */
const inProgressMs = 1000

/** Call exactly one of the two, once. */
export interface CheckEnd {
  fail(): Promise<unknown>
  leave(): Promise<unknown>
}
export type Check = ({ isOpen: true } & CheckEnd) | { isOpen: false; closedMs: number }

export interface NetworkLimit {
  /** Starts a check. If `owner` is given, checks are counted separately for each owner. */
  (ip: string, owner?: string): Promise<Check>
  /** Ends a stored check that another process may have started, shortly before `countedAt`. */
  resume(countedAt: Date, ip: string, owner?: string): CheckEnd
}

/**
 * Limits failures at every prefix size, from a single address to a hosting company's /16. Addresses outside a closed
 * prefix are never refused. There's no limit across all networks, because one attacker could use it to shut out all
 * customers.
 */
export function createNetworkLimit(
  { counters, log }: Pick<Deps, 'counters' | 'log'>,
  { name, perNetwork, perFailure, seconds, countsAhead }: NetworkBudget,
): NetworkLimit {
  const warn = throttled(60_000, (fields) => log.warn(fields, 'network.closed'))

  /** Returns how long the prefixes stay closed, in ms, or 0 if all are open. */
  function longest(
    bounds: readonly Bound[],
    closedMs: readonly number[],
    reported: readonly Bound[],
  ): number {
    for (const [index, bound] of bounds.entries())
      if (closedMs[index] !== 0 && reported.includes(bound))
        warn({ kind: name, network: bound.id.split(' ').at(-1) })
    return Math.max(0, ...closedMs)
  }

  async function openStored(bounds: readonly Bound[]): Promise<Check> {
    const closedMs = longest(bounds, await counters.take(bounds), bounds.slice(1))
    return closedMs > 0 ? { isOpen: false, closedMs } : { isOpen: true, ...endOf(bounds) }
  }

  const endOf = (bounds: readonly Bound[], countedAt?: Date): CheckEnd => ({
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

  async function openInProcess(bounds: readonly Bound[]): Promise<Check> {
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
    return {
      isOpen: true,
      fail: () => counters.add(bounds, perFailure).finally(end),
      leave: async () => end(),
    }
  }

  const boundsOf = (ip: string, owner?: string): Bound[] =>
    prefixesOf(ip).map(({ range, share }) => ({
      id: [name, ...(owner === undefined ? [] : [owner]), range].join(' '),
      max: perNetwork * share * perFailure,
      seconds,
    }))
  const open = countsAhead === 'stored' ? openStored : openInProcess
  return Object.assign((ip: string, owner?: string) => open(boundsOf(ip, owner)), {
    resume: (countedAt: Date, ip: string, owner?: string) => endOf(boundsOf(ip, owner), countedAt),
  })
}
