import type { Deps } from '../../deps.ts'
import { noDeadline } from '../../mongo/batching/batcher.ts'
import { createReadBatcher } from '../../mongo/batching/read-batcher.ts'
import type { Collection } from '../../mongo/collection.ts'
import { createCountsByOwner } from '../../process/counts-by-owner.ts'
import { throttled } from '../../process/log.ts'
import { type Prefix, prefixesOf } from '../network.ts'
import { createLimiter, type Limiter, type Stored } from './limiter.ts'

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

interface Counted {
  prefix: Prefix
  limiter: Limiter
  key: string
}

/**
 * Creates a limit on failed attempts by network, at every prefix size from a single address to a hosting company's /16.
 * Addresses outside a closed prefix are never refused. There is no limit across all networks, because a single attacker
 * could use it to shut out all customers.
 */
export function createLimitByNetwork(
  deps: Pick<Deps, 'mongo' | 'log' | 'now'>,
  collection: Collection,
  budget: NetworkBudget,
): LimitByNetwork {
  const { name, perNetwork, perFailure, seconds } = budget
  const warn = throttled(60_000, (fields) => deps.log.warn(fields, 'network.closed'))
  const limiters = new Map<number, Limiter>()
  const limiterFor = ({ share }: Prefix): Limiter => {
    const max = perNetwork * share * perFailure
    const limiter = limiters.get(share) ?? createLimiter(deps, collection, { name, max, seconds })
    limiters.set(share, limiter)
    return limiter
  }
  /** Reads the counts for the networks of all concurrent attempts in a single query. */
  const read = createReadBatcher<Stored>(
    (keys) =>
      deps.mongo
        .collection<Stored>(collection.name)
        .find({ key: { $in: keys } }, { projection: { key: 1, points: 1, expire: 1 } })
        .toArray(),
    ({ key }) => [key],
  )
  /**
   * Returns how long, in ms, a prefix is closed if `ahead` points are added to the stored points. Returns 0 if the
   * prefix is open.
   */
  const closedMsOf = async ({ prefix, limiter, key }: Counted, ahead = 0): Promise<number> => {
    const stored = await read(limiter.storedKey(key), noDeadline)
    const leftMs = stored === null ? 0 : Math.max(0, stored.expire.getTime() - deps.now().getTime())
    const points = leftMs > 0 ? (stored?.points ?? 0) : 0
    if (points + ahead < limiter.max) return 0
    if (leftMs > 0) warn({ kind: name, network: prefix.range })
    return Math.max(leftMs, inProgressMs)
  }

  async function openStored(all: readonly Counted[]): Promise<Attempt> {
    const [own, larger] = [all.slice(0, 1), all.slice(1)]
    const [counted, ...closed] = await Promise.all([countEach(own), ...larger.map((each) => closedMsOf(each))])
    const closedMs = Math.max(counted, ...closed)
    if (closedMs > 0) {
      if (counted === 0) await giveBackEach(own)
      return { isOpen: false, closedMs }
    }
    const overMs = await countEach(larger)
    if (overMs > 0) {
      await giveBackEach(own)
      return { isOpen: false, closedMs: overMs }
    }
    return { isOpen: true, ...endOf(all) }
  }

  const endOf = (all: readonly Counted[], countedAt?: Date): AttemptEnd => ({
    async fail() {
      await Promise.all(all.map(({ limiter, key }) => limiter.add(key, perFailure - 1)))
    },
    leave: () => giveBackEach(all, countedAt),
  })

  const inProgress = createCountsByOwner()

  async function openInProcess(all: readonly Counted[]): Promise<Attempt> {
    const ownKey = all[0]?.key ?? ''
    const before = inProgress.of(ownKey)
    inProgress.add(ownKey, 1)
    let isOpen = false
    try {
      const closed = await Promise.all(all.map((each, size) => closedMsOf(each, size === 0 ? before : 0)))
      const closedMs = Math.max(...closed)
      if (closedMs > 0) return { isOpen: false, closedMs }
      isOpen = true
    } finally {
      if (!isOpen) inProgress.add(ownKey, -1)
    }
    return {
      isOpen,
      async fail() {
        await Promise.all(all.map(({ limiter, key }) => limiter.add(key, perFailure))).finally(() =>
          inProgress.add(ownKey, -1),
        )
      },
      async leave() {
        inProgress.add(ownKey, -1)
      },
    }
  }

  const countedOf = (ip: string, owner?: string): Counted[] =>
    prefixesOf(ip).map((prefix) => ({
      prefix,
      limiter: limiterFor(prefix),
      key: owner === undefined ? prefix.range : `${owner} ${prefix.range}`,
    }))
  const open = budget.countsAhead === 'stored' ? openStored : openInProcess
  return Object.assign((ip: string, owner?: string) => open(countedOf(ip, owner)), {
    resume: (countedAt: Date, ip: string, owner?: string) => endOf(countedOf(ip, owner), countedAt),
  })
}

/**
 * Counts one point under each limiter, starting with the smallest prefix. If one of the prefixes is closed, all points
 * are given back, so that a closed network does not use up a larger prefix's budget. Returns how long that prefix stays
 * closed, in ms, or 0 if all prefixes are open.
 */
async function countEach(counts: readonly Counted[]): Promise<number> {
  for (const [index, { limiter, key }] of counts.entries()) {
    const { isOpen, closedMs } = await limiter.count(key)
    if (isOpen) continue
    await giveBackEach(counts.slice(0, index + 1))
    return Math.max(1, closedMs)
  }
  return 0
}

async function giveBackEach(counts: readonly Counted[], countedAt?: Date): Promise<void> {
  await Promise.all(counts.map(({ limiter, key }) => limiter.giveBack(key, countedAt)))
}
