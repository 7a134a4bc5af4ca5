import { setTimeout as pause } from 'node:timers/promises'

/** How much of a quota one business uses, as MongoDB counts it, and when some of that comes free; null where nothing is used. */
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

/** The quota has room: call `end` once the write is done, whatever became of it. Or it has not, and `freeAt` says when it will. */
export type Taken = { isTaken: true; end(): void } | { isTaken: false; freeAt: Date | null }

/**
 * A quota of each business that all processes share, without a document that every write of the business would touch. MongoDB counts now and
 * then, by an index. In between, a process adds what it has taken itself.
 */
export interface Quota {
  /** Takes `amount` for a write that is about to be made. The picture of one `period` says nothing of the next. */
  take(businessId: string, period: string, limit: number, amount: number): Promise<Taken>
  /** The businesses that use the largest parts of their quotas, counted within the last minute. Of those that wrote through this process. */
  fullest(most: number): Promise<Estimate[]>
}

/** What this process knows of one business. */
interface Picture {
  businessId: string
  limit: number
  /** By the last count. */
  used: number
  freeAt: Date | null
  countedAtMs: number
  /** How long the last count took. */
  tookMs: number
  /** Taken by this process in all. */
  taken: number
  /** Of these, taken by writes that were done before the last count began: `used` has them. */
  takenInUsed: number
  /** Of these, taken by writes that are not done. */
  underWay: number
  /** Of these, taken by writes that were under way during the last count: `used` may have them or not. */
  unsure: number
  counting: Promise<void> | null
}

/** A write is only refused by a count that is fresh, so a business whose quota is used up makes a process count once a second. */
const freshMs = 1_000
/** A count that takes long stays fresh longer, so that counting takes at most 2 % of the time. */
const restPerCount = 50
const longestFreshMs = 10_000
/** Where the last count leaves open whether a quota is full, the next one begins after this many times what it took. */
const restWhileUnsure = 4
/** By then the writes that were under way are done. */
const mostCounts = 3
/** After this part of what was left has been taken here, MongoDB counts anew: the other processes may have taken as much. */
const partOfRest = 0.1
/** A business that writes steadily is counted this often, so that a process takes at most that long for room what others have taken. */
const steadyMs = 10_000
/** Fewer writes than this are not steady: a count of each of very many small businesses would cost as much as their writes. */
const steadyWrites = 20
/** Any business is counted anew after this. */
const staleMs = 600_000
const shownMs = 60_000

/** About 300 bytes each: 3 MB. Beyond them, the business that wrote the longest ago is forgotten, and counted when it writes again. */
const mostPictures = 10_000

/** `elapsedMs` is a clock that nobody sets. */
export function createQuota(count: (businessId: string) => Promise<Usage>, elapsedMs: () => number): Quota {
  /** The one that wrote last is last. */
  const pictures = new Map<string, Picture>()

  function pictureOf(businessId: string, period: string, limit: number): Picture {
    const key = `${businessId} ${period}`
    const picture = pictures.get(key) ?? blank(businessId)
    picture.limit = limit
    pictures.delete(key)
    pictures.set(key, picture)
    const [oldest] = pictures.keys()
    if (pictures.size > mostPictures && oldest !== undefined) pictures.delete(oldest)
    return picture
  }

  /** One count of a business at a time, for all that wait for it. */
  function recount(picture: Picture): Promise<void> {
    picture.counting ??= countInto(picture).finally(() => {
      picture.counting = null
    })
    return picture.counting
  }

  async function countInto(picture: Picture): Promise<void> {
    const beganAtMs = elapsedMs()
    // What is under way now may be in the count or not, so it counts beside it.
    const takenInUsed = picture.taken - picture.underWay
    const { used, freeAt } = await count(picture.businessId)
    const tookMs = elapsedMs() - beganAtMs
    const unsure = picture.taken - takenInUsed
    Object.assign(picture, { used, freeAt, takenInUsed, unsure, countedAtMs: beganAtMs, tookMs })
  }

  /** Takes `amount` if it is left. Counts as often as it takes to know that it is not. */
  async function take(picture: Picture, amount: number): Promise<boolean> {
    for (let counts = 0; ; counts += 1) {
      const left = picture.limit - usedOf(picture)
      if (left >= amount) {
        picture.taken += amount
        picture.underWay += amount
        return true
      }
      const isSure = left + picture.unsure < amount
      if (counts === mostCounts || (isSure && isFresh(picture))) return false
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
      // No write waits for this one. Without a result the next write counts again.
      if (!isFresh(picture) && isDue(picture)) recount(picture).catch(() => undefined)
      if (!(await take(picture, amount))) return { isTaken: false, freeAt: picture.freeAt }
      return {
        isTaken: true,
        end: () => {
          picture.underWay -= amount
        },
      }
    },
    async fullest(most) {
      const first = () => [...pictures.values()].toSorted((a, b) => partUsed(b) - partUsed(a)).slice(0, most)
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
  underWay: 0,
  unsure: 0,
  counting: null,
})

const takenSince = ({ taken, takenInUsed }: Picture): number => taken - takenInUsed

/** Never less than what this process took and others were seen to have taken. */
const usedOf = (picture: Picture): number => picture.used + takenSince(picture)

const partUsed = (picture: Picture): number => usedOf(picture) / picture.limit
