import type { Bound } from '../limits/counter.ts'
import type { Limit } from '../limits/limit.ts'
import type { Deps } from '../platform/deps.ts'
import { throttled } from '../platform/log.ts'
import { prefixesOf } from '../platform/network.ts'

/** Failures that one network may have in a period. For a larger prefix, times its `share`. */
export interface NetworkBudget extends Limit {
  name: string
  perNetwork: number
  seconds: number
  /**
   * Points per failure; an attempt in progress costs one. With more than one, a network can have several honest
   * attempts in progress per failure of its budget.
   */
  perFailure: number
  /**
   * Where an attempt counts before its outcome is known. `stored`: in MongoDB for every prefix, so concurrent attempts
   * can't exceed a budget. `process`: only here and only for its own network, so success writes nothing – but each
   * process allows a whole budget in progress, and a larger prefix's may be exceeded.
   */
  countsAhead: 'stored' | 'process'
}

/** The least time a network is closed when attempts in progress use up its budget. */
const inProgressMs = 1000

/** Call exactly one of them. */
export interface AttemptEnd {
  fail(): Promise<unknown>
  leave(): Promise<unknown>
}
export type Attempt = ({ isOpen: true } & AttemptEnd) | { isOpen: false; closedMs: number }

export interface NetworkLimit {
  /** Starts an attempt. With `owner`, each owner is counted separately. */
  (ip: string, owner?: string): Promise<Attempt>
  /** Ends a stored attempt that perhaps another process began, shortly before `countedAt`. */
  resume(countedAt: Date, ip: string, owner?: string): AttemptEnd
}

/**
 * Counts failures at every prefix size, from one address to a hosting company's /16. Addresses outside a closed prefix
 * are never refused. No limit spans all networks: one attacker could use it to shut out all customers.
 */
export function createNetworkLimit(
  { counters, log }: Pick<Deps, 'counters' | 'log'>,
  { name, perNetwork, perFailure, seconds, countsAhead }: NetworkBudget,
): NetworkLimit {
  const warn = throttled(60_000, (fields) => log.warn(fields, 'network.closed'))

  /** In ms; 0 if all are open. */
  function longest(bounds: readonly Bound[], closedMs: readonly number[], reported: readonly Bound[]): number {
    for (const [index, bound] of bounds.entries())
      if (closedMs[index] !== 0 && reported.includes(bound)) warn({ kind: name, network: bound.id.split(' ').at(-1) })
    return Math.max(0, ...closedMs)
  }

  async function openStored(bounds: readonly Bound[]): Promise<Attempt> {
    const closedMs = longest(bounds, await counters.take(bounds), bounds.slice(1))
    return closedMs > 0 ? { isOpen: false, closedMs } : { isOpen: true, ...endOf(bounds) }
  }

  const endOf = (bounds: readonly Bound[], countedAt?: Date): AttemptEnd => ({
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

  async function openInProcess(bounds: readonly Bound[]): Promise<Attempt> {
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
