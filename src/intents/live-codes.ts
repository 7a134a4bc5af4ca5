import type { Caller } from '../businesses/caller.ts'
import type { Config } from '../config/config.ts'
import { refuseUsedUp } from '../limits/counter.ts'
import { createReadBatcher, noDeadline } from '../mongo/batchers.ts'
import { isMaxTimeError } from '../mongo/collection.ts'
import type { Deps } from '../platform/deps.ts'
import { coalesceRuns } from '../platform/share-runs.ts'
import { setInLru } from '../platform/use-last.ts'

/** A code becomes free 15 minutes after its intent is paid or cancelled. */
const longestWaitMs = 15 * 60_000
const usedForMs = 10_000
/** A request is refused only if the count is less than a second old. */
const freshMs = 1_000
const maxCounts = 10_000
const countingMs = 2_000

export const liveCodeLimitRow = {
  what: 'Live payment codes in use',
  limit: 'LIVE_CODES_PER_BUSINESS per business',
  gets: '429 `codes`',
  metric: 'business_quota_used_ratio',
}

interface Usage {
  _id: string
  used: number
  /** When the first code in use becomes free again. */
  freeAt: Date
}

type CountDeps = Pick<Deps, 'Intent' | 'now'>

const countLiveCodes = ({ Intent, now }: CountDeps, businessIds: string[]): Promise<Usage[]> =>
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

/** Null if counting takes too long. */
export async function countCodesInUse(deps: CountDeps, businessId: string): Promise<number | null> {
  try {
    return (await countLiveCodes(deps, [businessId]))[0]?.used ?? 0
  } catch (error) {
    if (isMaxTimeError(error)) return null
    throw error
  }
}

export const liveCodeLimitOf = (
  { config }: { config: Pick<Config, 'liveCodesPerBusiness'> },
  { limits }: Pick<Caller, 'limits'>,
): number => limits.liveCodes ?? config.liveCodesPerBusiness

export type LiveCodeQuota = ReturnType<typeof createLiveCodeQuota>

/** Codes become free as time passes, so each process recounts them. */
export function createLiveCodeQuota(deps: CountDeps, elapsedMs: () => number) {
  const query = createReadBatcher<Usage>(
    (businessIds) => countLiveCodes(deps, businessIds),
    ({ _id }) => [_id],
  )
  type Count = ReturnType<typeof newCount>
  const counts = new Map<string, Count>()

  function newCount(businessId: string) {
    const count = {
      used: 0,
      freeAt: null as Date | null,
      countedAtMs: Number.NEGATIVE_INFINITY,
      /** Codes taken since the count, including `inserting`. */
      taken: 0,
      inserting: 0,
      limit: 0,
      recount: coalesceRuns(async () => {
        const startedAtMs = elapsedMs()
        const included = count.taken - count.inserting
        const usage = await query(businessId, noDeadline)
        count.used = usage?.used ?? 0
        count.freeAt = usage?.freeAt ?? null
        count.taken -= included
        count.countedAtMs = startedAtMs
      }),
    }
    return count
  }

  function countOf(businessId: string): Count {
    const count = counts.get(businessId) ?? newCount(businessId)
    setInLru(counts, businessId, count, maxCounts)
    return count
  }

  async function refresh(count: Count, maxAgeMs: number): Promise<void> {
    if (elapsedMs() - count.countedAtMs >= maxAgeMs) await count.recount()
  }

  return {
    async within<T>({ businessId }: Pick<Caller, 'businessId'>, limit: number, insert: () => Promise<T>) {
      const count = countOf(businessId)
      const isFull = (): boolean => count.used + count.taken >= limit
      await refresh(count, usedForMs).catch((error: unknown) => {
        if (count.limit === 0) throw error
      })
      count.limit = limit
      if (isFull()) await refresh(count, freshMs)
      if (isFull()) throw noneLeft(count.freeAt, limit, deps.now())
      count.taken += 1
      count.inserting += 1
      try {
        return await insert()
      } finally {
        count.inserting -= 1
      }
    },
    /** Returns only businesses that took a code through this process. */
    async fullest(most: number): Promise<{ owner: string; used: number; limit: number }[]> {
      const first = () =>
        [...counts]
          .flatMap(([owner, { used, taken, limit }]) =>
            limit === 0 ? [] : [{ owner, used: used + taken, limit }],
          )
          .toSorted((a, b) => b.used / b.limit - a.used / a.limit)
          .slice(0, most)
      await Promise.all(first().map(({ owner }) => refresh(countOf(owner), usedForMs)))
      return first()
    },
  }
}

function noneLeft(freeAt: Date | null, limit: number, now: Date) {
  const message = `This business is using all its ${limit} payment codes. Cancel payment intents that will not be paid, or wait.`
  const latest = new Date(now.getTime() + longestWaitMs)
  const soonest = freeAt !== null && freeAt < latest ? freeAt : latest
  return refuseUsedUp(message, { scope: 'codes', limit }, { freeAt: soonest, now })
}

export type FullSandboxes = ReturnType<typeof createFullSandboxes>

const keptMs = 1_000
const maxKept = 1_000

/** Creating an intent in a full sandbox takes 32 round trips to MongoDB. */
export function createFullSandboxes(elapsedMs: () => number) {
  const foundAtMs = new Map<string, number>()
  return {
    add(businessId: string): void {
      setInLru(foundAtMs, businessId, elapsedMs(), maxKept)
    },
    has: (businessId: string): boolean =>
      elapsedMs() - (foundAtMs.get(businessId) ?? Number.NEGATIVE_INFINITY) < keptMs,
  }
}
