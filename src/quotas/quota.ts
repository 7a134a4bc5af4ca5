import { setTimeout as pause } from 'node:timers/promises'

/**
 * How much of a quota a business uses according to MongoDB's count, and when some of it becomes free (null if nothing
 * is used).
 */
export interface Usage {
  used: number
  freeAt: Date | null
}

/** How much of a quota one business uses, as this process knows it. */
export interface Estimate {
  businessId: string
  used: number
  limit: number
}

/**
 * If taken, call `end` once the write has ended, whatever its outcome. If not, `freeAt` is when some of the quota
 * becomes free.
 */
export type Taken = { isTaken: true; end(): void } | { isTaken: false; freeAt: Date | null }

/**
 * A per-business quota, shared by all processes without a counter document that every write would have to update.
 * MongoDB counts from an index at intervals. In between, each process adds what it has taken itself.
 */
export interface Quota {
  /** Takes `amount` for a write that is about to run. Each `period` is counted separately. */
  take(businessId: string, period: string, limit: number, amount: number): Promise<Taken>
  /**
   * The businesses that use the largest share of their quota, among those that wrote through this process. Their counts
   * are at most a minute old.
   */
  fullest(max: number): Promise<Estimate[]>
}

/** The quota use of one business, as this process knows it. */
interface Picture {
  businessId: string
  limit: number
  /** Usage according to the last count. */
  used: number
  freeAt: Date | null
  countedAtMs: number
  /** How long the last count took. */
  tookMs: number
  /** The total that this process has taken. */
  taken: number
  /** The part of `taken` from writes that ended before the last count began, so `used` includes it. */
  takenInUsed: number
  /** The part of `taken` from writes that have not ended. */
  inProgress: number
  /** The part of `taken` from writes that were running during the last count, so `used` may or may not include it. */
  unsure: number
  counting: Promise<void> | null
}

/**
 * A write is refused only if the last count is more recent than this, so a business with a full quota costs each
 * process one count per second.
 */
const freshMs = 1_000
/** A count that takes long stays fresh longer, so that counting takes at most 2 % of the time. */
const restPerCount = 50
const longestFreshMs = 10_000
/** If a count cannot tell whether the quota is full, the next one begins after this many times its duration. */
const restWhileUnsure = 4
/** After this many counts, the writes that ran during the first have ended. */
const maxCounts = 3
/**
 * Once a process has taken this share of what was left, MongoDB counts again: the other processes may have taken as
 * much.
 */
const partOfRest = 0.1
/**
 * A steadily writing business's usage is counted this often. This limits how long a process can overlook what other
 * processes have taken.
 */
const steadyMs = 10_000
/**
 * A business with fewer writes than this is not a steady writer: counting many small businesses would cost as much as
 * their writes.
 */
const steadyWrites = 20
/** Any business is counted again after this. */
const staleMs = 600_000
const shownMs = 60_000

/**
 * About 300 bytes each, 3 MB in all. Beyond this, the business that wrote least recently is dropped, and counted again
 * when it next writes.
 */
const maxPictures = 10_000

/** `elapsedMs` is a monotonic clock. */
export function createQuota(count: (businessId: string) => Promise<Usage>, elapsedMs: () => number): Quota {
  /** In order of last write, most recent last. */
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

  /** Runs one count of a business at a time. Concurrent callers share it. */
  function recount(picture: Picture): Promise<void> {
    picture.counting ??= countInto(picture).finally(() => {
      picture.counting = null
    })
    return picture.counting
  }

  async function countInto(picture: Picture): Promise<void> {
    const beganAtMs = elapsedMs()
    // The count may or may not include writes that are running now, so they are added to it.
    const takenInUsed = picture.taken - picture.inProgress
    const { used, freeAt } = await count(picture.businessId)
    const tookMs = elapsedMs() - beganAtMs
    const unsure = picture.taken - takenInUsed
    Object.assign(picture, { used, freeAt, takenInUsed, unsure, countedAtMs: beganAtMs, tookMs })
  }

  /** Takes `amount` if that much is left. Otherwise counts again until that is certain, at most `maxCounts` times. */
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
    async take(businessId, period, limit, amount) {
      const picture = pictureOf(businessId, period, limit)
      // No write waits for this count. If it fails, the next write counts again.
      if (!isFresh(picture) && isDue(picture)) recount(picture).catch(() => undefined)
      if (!(await take(picture, amount))) return { isTaken: false, freeAt: picture.freeAt }
      return {
        isTaken: true,
        end: () => {
          picture.inProgress -= amount
        },
      }
    },
    async fullest(max) {
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

/** The last count, plus what this process has taken after it. */
const usedOf = (picture: Picture): number => picture.used + takenSince(picture)

const shareUsed = (picture: Picture): number => usedOf(picture) / picture.limit

/** Each business's quotas, across all processes. */
export interface Quotas {
  liveCodes: Quota
  sandboxDay: Quota
  sandboxResponses: Quota
}
