import type { Model } from 'mongoose'
import type { Caller } from '../businesses/caller.ts'
import type { Config } from '../config/config.ts'
import { usedUp } from '../limits/counter.ts'
import { createReadBatcher, noDeadline } from '../mongo/batchers.ts'
import { useLast } from '../platform/use-last.ts'
import type { Intent } from './intent.ts'

/** The time after which a code becomes available again if its intent is paid or cancelled now (code.ts). */
const longestWaitMs = 15 * 60_000
/** How long a count is used. */
const usedForMs = 10_000
/** A create is refused only because of a count that is younger than this. */
const freshMs = 1_000
/** A count takes about 200 bytes. */
const maxCounts = 10_000
/** MongoDB aborts a count after this time. */
const countingMs = 2_000

export const codesLimit = {
  what: 'Live payment codes in use',
  limit: 'LIVE_CODES_PER_BUSINESS per business',
  gets: '429 `codes`',
  metric: 'business_quota_used_ratio',
}

/** The live codes that a business has in use, and when the first of them becomes free. */
interface Usage {
  _id: string
  used: number
  freeAt: Date
}

interface CountDeps {
  Intent: Model<Intent>
  now(): Date
}

interface Count {
  used: number
  freeAt: Date | null
  countedAtMs: number
  /** What this process has inserted since, or is inserting. */
  taken: number
  inserting: number
  /** 0 until the first count. */
  limit: number
  counting: Promise<void> | null
}

/**
 * Counts the live codes that each of the businesses has in use, with those of finished intents that no new intent can
 * have yet. The query reads only the `liveCodes` index.
 */
export const countLiveCodes = ({ Intent, now }: CountDeps, businessIds: string[]): Promise<Usage[]> =>
  Intent.aggregate<Usage>([
    {
      $match: {
        businessId: { $in: businessIds },
        codeReusableAt: { $gt: now() },
        codeKey: { $gte: 'live:', $lt: 'live;' },
      },
    },
    { $group: { _id: '$businessId', used: { $sum: 1 }, freeAt: { $min: '$codeReusableAt' } } },
  ])
    .option({ maxTimeMS: countingMs })
    .exec()

/** Returns the maximum number of live codes that a business may have in use. */
export const liveCodeLimit = (
  { config }: { config: Pick<Config, 'liveCodesPerBusiness'> },
  { limits }: Pick<Caller, 'limits'>,
): number => limits.liveCodes ?? config.liveCodesPerBusiness

export type LiveCodes = ReturnType<typeof createLiveCodes>

/**
 * Limits the live codes that a business has in use. They are a level, because codes become free merely with time. So
 * they are counted from the intents, and a process remembers the count for a while, with what it has inserted since.
 */
export function createLiveCodes(deps: CountDeps, elapsedMs: () => number) {
  const query = createReadBatcher<Usage>(
    (businessIds) => countLiveCodes(deps, businessIds),
    ({ _id }) => [_id],
  )
  const counts = new Map<string, Count>()

  function countOf(businessId: string): Count {
    const count = counts.get(businessId) ?? { ...uncounted }
    useLast(counts, businessId, count, maxCounts)
    return count
  }

  /** Counts again if the count is older than `maxAgeMs`. Concurrent callers share the result. */
  async function refresh(businessId: string, count: Count, maxAgeMs: number): Promise<void> {
    if (elapsedMs() - count.countedAtMs < maxAgeMs) return
    count.counting ??= recount(businessId, count).finally(() => {
      count.counting = null
    })
    await count.counting
  }

  async function recount(businessId: string, count: Count): Promise<void> {
    const startedAtMs = elapsedMs()
    // The query may miss those that are being inserted.
    const included = count.taken - count.inserting
    const usage = await query(businessId, noDeadline)
    count.used = usage?.used ?? 0
    count.freeAt = usage?.freeAt ?? null
    count.taken -= included
    count.countedAtMs = startedAtMs
  }

  return {
    /** Runs `insert`, which inserts a live intent. Throws RATE_LIMITED if the business has no code left. */
    async within<T>({ businessId }: Pick<Caller, 'businessId'>, limit: number, insert: () => Promise<T>): Promise<T> {
      const count = countOf(businessId)
      const isFull = (): boolean => count.used + count.taken >= limit
      await refresh(businessId, count, usedForMs).catch((error: unknown) => {
        if (count.limit === 0) throw error
      })
      count.limit = limit
      if (isFull()) await refresh(businessId, count, freshMs)
      if (isFull()) throw noneLeft(count, limit, deps.now())
      count.taken += 1
      count.inserting += 1
      try {
        return await insert()
      } finally {
        count.inserting -= 1
      }
    },
    /** Of the businesses that have taken a code through this process, returns those closest to their limits. */
    async fullest(most: number): Promise<{ owner: string; used: number; limit: number }[]> {
      const first = () =>
        [...counts]
          .flatMap(([owner, { used, taken, limit }]) => (limit === 0 ? [] : [{ owner, used: used + taken, limit }]))
          .toSorted((a, b) => b.used / b.limit - a.used / a.limit)
          .slice(0, most)
      await Promise.all(first().map(({ owner }) => refresh(owner, countOf(owner), usedForMs)))
      return first()
    },
  }
}

const uncounted: Count = {
  used: 0,
  freeAt: null,
  countedAtMs: Number.NEGATIVE_INFINITY,
  taken: 0,
  inserting: 0,
  limit: 0,
  counting: null,
}

function noneLeft({ freeAt }: Count, limit: number, now: Date) {
  const message = `All ${limit} payment codes of this business are in use. Cancel payment intents that will not be paid, or wait.`
  const latest = new Date(now.getTime() + longestWaitMs)
  return usedUp(
    message,
    { scope: 'codes', limit },
    { freeAt: freeAt !== null && freeAt < latest ? freeAt : latest, now },
  )
}

/**
 * Remembers which sandboxes are full. A sandbox is full if a create request has recently found no free payment code in
 * it. Such a request makes 32 round trips to MongoDB before it fails. Without this record, one test key could slow down
 * the create requests of all merchants.
 */
export type FullSandboxes = ReturnType<typeof createFullSandboxes>

/**
 * How long a process remembers that a sandbox is full. During this time, it rejects create requests in that sandbox
 * without drawing codes.
 */
const keptMs = 1_000
/** The maximum number of sandboxes to remember. No more sandboxes than this can become full within a second. */
const maxKept = 1_000

/** Creates an empty record. `elapsedMs` must read a monotonic clock. */
export function createFullSandboxes(elapsedMs: () => number) {
  /** The time at which each sandbox was last found to be full, starting with the oldest. */
  const foundAtMs = new Map<string, number>()
  return {
    add(businessId: string): void {
      useLast(foundAtMs, businessId, elapsedMs(), maxKept)
    },
    has: (businessId: string): boolean =>
      elapsedMs() - (foundAtMs.get(businessId) ?? Number.NEGATIVE_INFINITY) < keptMs,
  }
}
