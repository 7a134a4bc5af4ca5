import { setTimeout as pause } from 'node:timers/promises'

/**
 * A business's usage of a quota, as counted by MongoDB. `freeAt` is when some of the quota will become free, or null if
 * none of it is used.
 */
export interface Usage {
  used: number
  freeAt: Date | null
}

/** A business's usage of a quota, as estimated by this process. */
export interface Estimate {
  businessId: string
  used: number
  limit: number
}

/**
 * The result of taking an amount from a quota. If the amount was taken, the caller must call `end` once the write has
 * ended, whatever its outcome. Otherwise, `freeAt` is when some of the quota will become free.
 */
export type Taken = { isTaken: true; end(): void } | { isTaken: false; freeAt: Date | null }

/**
 * A per-business quota that all processes share. There is no counter document, because every write would have to update
 * that document. Instead, MongoDB counts the usage from an index at intervals. Between two counts, each process adds
 * what it has taken itself.
 */
export type Quota = ReturnType<typeof createQuota>

/** The state from which this process estimates a business's usage of a quota. */
interface Picture {
  businessId: string
  limit: number
  /** The usage according to the last count. */
  used: number
  freeAt: Date | null
  countedAtMs: number
  /** How long the last count took. */
  tookMs: number
  /** The total amount that this process has taken. */
  taken: number
  /** The part of `taken` that belongs to writes that ended before the last count started. `used` includes it. */
  takenInUsed: number
  /** The part of `taken` that belongs to writes that are still running. */
  inProgress: number
  /**
   * The part of `taken` that belongs to writes that were still running during the last count. `used` may or may not
   * include it.
   */
  unsure: number
  counting: Promise<void> | null
}

/**
 * A write is rejected only if the last count is fresh. A count stays fresh for at least this long, so a business whose
 * quota is full costs each process at most one count per second.
 */
const freshMs = 1_000
/**
 * Within the limits `freshMs` and `longestFreshMs`, a count stays fresh for this many times its duration. Counts that
 * take up to 200 ms therefore take up at most 2 % of the time.
 */
const restPerCount = 50
const longestFreshMs = 10_000
/** If a count cannot determine whether the quota is full, the next count starts after this many times its duration. */
const restWhileUnsure = 4
/**
 * The maximum number of counts for one write. The writes that were running during the first of them have usually ended
 * by the last.
 */
const maxCounts = 3
/**
 * Once a process has taken this share of what was left at the last count, the usage is counted again, because each of
 * the other processes may have taken as much.
 */
const partOfRest = 0.1
/**
 * If a business writes steadily, its usage is counted again once its last count is older than this. The interval limits
 * how long a process can be unaware of what other processes have taken.
 */
const steadyMs = 10_000
/**
 * A business that has taken less than this since its last count is not considered to write steadily. Counting the usage
 * of many such businesses every `steadyMs` would cost as much as their writes.
 */
const steadyWrites = 20
/** At a business's next write, its usage is counted again if its last count is older than this. */
const staleMs = 600_000
const shownMs = 60_000

/**
 * The maximum number of pictures in memory. Each picture uses about 300 bytes, so all of them together use 3 MB. Beyond
 * this number, the picture of the business whose last write is the oldest is dropped, and that business's usage is
 * counted again at its next write.
 */
const maxPictures = 10_000

/** Creates a quota. `count` counts the usage of one business. `elapsedMs` must be a monotonic clock. */
export function createQuota(count: (businessId: string) => Promise<Usage>, elapsedMs: () => number) {
  /** The pictures in the order of each business's last write. The most recent is last. */
  const pictures = new Map<string, Picture>()

  function pictureOf(businessId: string, period: string, limit: number): Picture {
    const key = `${businessId} ${period}`
    const picture = pictures.get(key) ?? blank(businessId)
    picture.limit = limit
    pictures.delete(key)
    pictures.set(key, picture)
    const [oldest] = pictures.keys()
    if (pictures.size > maxPictures && oldest !== undefined) pictures.delete(oldest)
    return picture
  }

  /** Runs at most one count per business at a time. Concurrent callers share the result. */
  function recount(picture: Picture): Promise<void> {
    picture.counting ??= countInto(picture).finally(() => {
      picture.counting = null
    })
    return picture.counting
  }

  async function countInto(picture: Picture): Promise<void> {
    const beganAtMs = elapsedMs()
    // The count may or may not include writes that are running now, so these writes are added to the count.
    const takenInUsed = picture.taken - picture.inProgress
    const { used, freeAt } = await count(picture.businessId)
    const tookMs = elapsedMs() - beganAtMs
    const unsure = picture.taken - takenInUsed
    Object.assign(picture, { used, freeAt, takenInUsed, unsure, countedAtMs: beganAtMs, tookMs })
  }

  /**
   * Takes `amount` if that much is left. Otherwise, counts the usage again, at most `maxCounts` times, until that much
   * is left or it is certain that too little is left. Returns whether `amount` was taken.
   */
  async function take(picture: Picture, amount: number): Promise<boolean> {
    for (let counts = 0; ; counts += 1) {
      const left = picture.limit - usedOf(picture)
      if (left >= amount) {
        picture.taken += amount
        picture.inProgress += amount
        return true
      }
      const isSure = left + picture.unsure < amount
      if (counts === maxCounts || (isSure && isFresh(picture))) return false
      if (!isSure) await pause(Math.max(0, picture.tookMs * restWhileUnsure - ageOf(picture)))
      await recount(picture)
    }
  }

  const ageOf = ({ countedAtMs }: Picture): number => elapsedMs() - countedAtMs

  const isFresh = (picture: Picture): boolean =>
    ageOf(picture) < Math.min(longestFreshMs, Math.max(freshMs, picture.tookMs * restPerCount))

  const isDue = (picture: Picture): boolean =>
    ageOf(picture) > staleMs ||
    takenSince(picture) >= (picture.limit - picture.used) * partOfRest ||
    (takenSince(picture) >= steadyWrites && ageOf(picture) > steadyMs)

  return {
    /** Takes `amount` from the quota for a write that is about to run. Each `period` has a separate count. */
    async take(businessId: string, period: string, limit: number, amount: number): Promise<Taken> {
      const picture = pictureOf(businessId, period, limit)
      // No write waits for this count. If the count fails, the next write starts another.
      if (!isFresh(picture) && isDue(picture)) recount(picture).catch(() => undefined)
      if (!(await take(picture, amount))) return { isTaken: false, freeAt: picture.freeAt }
      return {
        isTaken: true,
        end: () => {
          picture.inProgress -= amount
        },
      }
    },
    /**
     * Returns the businesses that have used the largest shares of their quotas, among those that have made writes
     * through this process. Their counts are at most a minute old.
     */
    async fullest(max: number): Promise<Estimate[]> {
      const first = () => [...pictures.values()].toSorted((a, b) => shareUsed(b) - shareUsed(a)).slice(0, max)
      await Promise.all(
        first()
          .filter((picture) => ageOf(picture) > shownMs || picture.unsure > 0)
          .map(recount),
      )
      return first().map((picture) => ({
        businessId: picture.businessId,
        used: usedOf(picture),
        limit: picture.limit,
      }))
    },
  }
}

const blank = (businessId: string): Picture => ({
  businessId,
  limit: 0,
  used: 0,
  freeAt: null,
  countedAtMs: Number.NEGATIVE_INFINITY,
  tookMs: 0,
  taken: 0,
  takenInUsed: 0,
  inProgress: 0,
  unsure: 0,
  counting: null,
})

const takenSince = ({ taken, takenInUsed }: Picture): number => taken - takenInUsed

/** Returns the last count plus what this process has taken since then. */
const usedOf = (picture: Picture): number => picture.used + takenSince(picture)

const shareUsed = (picture: Picture): number => usedOf(picture) / picture.limit

/** The quotas of each business, shared by all processes. */
export interface Quotas {
  liveCodes: Quota
  sandboxDay: Quota
  sandboxResponses: Quota
  auditLinesOfLive: Quota
  auditLinesOfTest: Quota
}

/** MongoDB aborts a count after this time. */
export const countingMs = 2_000

export type Counted = Usage & { _id: string }

/**
 * Returns the number of seconds until `at`, for a Retry-After header. The result is at least 1 and never longer than
 * `maxMs`, which is also the default if `at` is null.
 */
export function secondsLeft(at: Date | null, now: Date, maxMs: number): number {
  const ms = at === null ? maxMs : at.getTime() - now.getTime()
  return Math.max(1, Math.ceil(Math.min(ms, maxMs) / 1000))
}
