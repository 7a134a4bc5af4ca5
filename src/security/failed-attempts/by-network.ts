import type { Deps } from '../../deps.ts'
import { createCountsByOwner } from '../../process/counts-by-owner.ts'
import { throttled } from '../../process/log.ts'
import { prefixesOf } from '../network.ts'
import type { Bound, Points, Standing } from './points.ts'

/**
 * A limit on the failed attempts that one network may make within a period. For a larger prefix, the limit is
 * multiplied by the prefix's `share`.
 */
export interface NetworkBudget {
  name: string
  perNetwork: number
  seconds: number
  /**
   * The points that each failure costs. An attempt in progress costs one point. If a failure costs more than one point,
   * a network can have several honest attempts in progress for each failure that its budget allows.
   */
  perFailure: number
  /**
   * Where an attempt is counted before its outcome is known. `stored` counts the attempt in MongoDB for every prefix,
   * so concurrent attempts cannot exceed any budget. `process` counts the attempt only in this process, and only for
   * the network that it comes from, so a successful attempt does not write to MongoDB. The drawback is that each
   * process lets a network have its whole budget in progress, and that attempts in progress may exceed a larger
   * prefix's budget.
   */
  countsAhead: 'stored' | 'process'
}

/** The minimum time for which a network is closed if attempts in progress use up its budget. */
const inProgressMs = 1000

/** How to end an attempt. The caller must call one of the two functions exactly once. */
export interface AttemptEnd {
  fail(): Promise<void>
  leave(): Promise<void>
}
export type Attempt = ({ isOpen: true } & AttemptEnd) | { isOpen: false; closedMs: number }

export interface LimitByNetwork {
  /** Starts an attempt from an IP address. If `owner` is given, attempts are counted separately for each owner. */
  (ip: string, owner?: string): Promise<Attempt>
  /** Ends a stored attempt that another process may have started, shortly before `countedAt`. */
  resume(countedAt: Date, ip: string, owner?: string): AttemptEnd
}

/** A key under which a network's attempts count. */
interface Counted extends Bound {
  range: string
}

/**
 * Creates a limit on failed attempts by network, at every prefix size from a single address to a hosting company's /16.
 * Addresses outside a closed prefix are never refused. There is no limit across all networks, because a single attacker
 * could use it to shut out all customers.
 */
export function createLimitByNetwork(deps: Pick<Deps, 'log'>, points: Points, budget: NetworkBudget): LimitByNetwork {
  const { name, perNetwork, perFailure, seconds } = budget
  const warn = throttled(60_000, (fields) => deps.log.warn(fields, 'network.closed'))

  /** Returns how long the prefixes stay closed, in ms, or 0 if all are open. */
  function longest(all: readonly Counted[], standings: readonly Standing[], reported: readonly Counted[]): number {
    const closed = all.filter((each, index) => standings[index]?.isOpen === false && reported.includes(each))
    for (const { range } of closed) warn({ kind: name, network: range })
    return Math.max(0, ...standings.map(({ closedMs }) => closedMs))
  }

  async function openStored(all: readonly Counted[]): Promise<Attempt> {
    const closedMs = longest(all, await points.take(all), all.slice(1))
    return closedMs > 0 ? { isOpen: false, closedMs } : { isOpen: true, ...endOf(all) }
  }

  const endOf = (all: readonly Counted[], countedAt?: Date): AttemptEnd => ({
    fail: () => points.add(all, perFailure - 1),
    leave: () => points.giveBack(all, countedAt),
  })

  const inProgress = createCountsByOwner()

  async function openInProcess(all: readonly Counted[]): Promise<Attempt> {
    const ownKey = all[0]?.key ?? ''
    const before = inProgress.of(ownKey)
    inProgress.add(ownKey, 1)
    const end = (): void => inProgress.add(ownKey, -1)
    const closedMs = await Promise.all(all.map((each, size) => points.look(each, size === 0 ? before + 1 : 1))).then(
      (standings) => longest(all, standings, all),
      (error: unknown) => {
        end()
        throw error
      },
    )
    if (closedMs > 0) {
      end()
      return { isOpen: false, closedMs: Math.max(closedMs, inProgressMs) }
    }
    return {
      isOpen: true,
      fail: () => points.add(all, perFailure).finally(end),
      leave: async () => end(),
    }
  }

  const countedOf = (ip: string, owner?: string): Counted[] =>
    prefixesOf(ip).map(({ range, share }) => ({
      range,
      key: `${name}:${owner === undefined ? '' : `${owner} `}${range}`,
      max: perNetwork * share * perFailure,
      seconds,
    }))
  const open = budget.countsAhead === 'stored' ? openStored : openInProcess
  return Object.assign((ip: string, owner?: string) => open(countedOf(ip, owner)), {
    resume: (countedAt: Date, ip: string, owner?: string) => endOf(countedOf(ip, owner), countedAt),
  })
}
