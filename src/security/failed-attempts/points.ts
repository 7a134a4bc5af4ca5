import type { Deps } from '../../deps.ts'
import { createBatcher, noDeadline } from '../../mongo/batching/batcher.ts'
import { createReadBatcher } from '../../mongo/batching/read-batcher.ts'
import { type Collection, isDuplicate } from '../../mongo/collection.ts'

/**
 * The maximum number of points of one key within a period, which starts with the key's first point. The key names the
 * limit too, because limits share a collection.
 */
export interface Bound {
  key: string
  max: number
  seconds: number
}

/** The state of a key: the points counted so far, whether the key is open, and how long it stays closed. */
export interface Standing {
  isOpen: boolean
  counted: number
  closedMs: number
}

/** The document may outlive its period, because MongoDB deletes expired documents about once a minute. */
interface Stored {
  key: string
  points: number
  expire: Date
}

/** So many processes may count an attempt in the same moment, before any of them sees the others' points. */
const mostProcesses = 8

interface Change {
  bound: Bound
  points: number
  /** Points are given back only to the period in which they were counted. */
  countedAt?: Date
}

/**
 * Counts points. Whatever concurrent callers of a process count is sent to MongoDB together, because the customers of a
 * carrier share documents, and a document takes few writes at once. Periods use database time, because otherwise a
 * process with a wrong clock would end a period for every process.
 */
export type Points = ReturnType<typeof createPoints>

export function createPoints(deps: Pick<Deps, 'mongo' | 'now'>, collection: Collection) {
  const stored = deps.mongo.collection<Stored>(collection.name)
  const find = (keys: string[]): Promise<Stored[]> =>
    stored.find({ key: { $in: keys } }, { projection: { key: 1, points: 1, expire: 1 } }).toArray()
  const endOf = (from: Date, { seconds }: Bound): Date => new Date(from.getTime() + seconds * 1000)

  function standingOf({ max }: Bound, found: Stored | null | undefined, ahead: number): Standing {
    const leftMs = Math.max(0, (found?.expire.getTime() ?? 0) - deps.now().getTime())
    const counted = (leftMs > 0 ? (found?.points ?? 0) : 0) + ahead
    const isWithin = counted <= max
    return { isOpen: isWithin, counted, closedMs: isWithin ? 0 : Math.max(1, leftMs) }
  }

  function operationOf({ bound, points, countedAt }: Change): { filter: object; update: object[] } {
    const { key } = bound
    const now = deps.now()
    if (points < 0) {
      const expire = { $gt: now, ...(countedAt && { $lte: endOf(countedAt, bound) }) }
      return { filter: { key, expire }, update: [{ $set: { points: { $add: ['$points', points] } } }] }
    }
    // The condition is also true for a new document, because a missing field sorts before any date.
    const isOver = { $lte: ['$expire', now] }
    const change = {
      points: { $cond: [isOver, points, { $add: ['$points', points] }] },
      expire: { $cond: [isOver, endOf(now, bound), '$expire'] },
    }
    return { filter: { key }, update: [{ $set: change }] }
  }

  async function write(changes: readonly Change[]): Promise<void> {
    if (changes.length === 0) return
    const operations = changes.map((change) => ({ updateOne: { ...operationOf(change), upsert: change.points > 0 } }))
    await stored.bulkWrite(operations, { ordered: false }).catch((error: unknown) => {
      const failed = (error as { writeErrors?: { index: number; code: number }[] }).writeErrors ?? []
      if (failed.length === 0 || !failed.every(isDuplicate)) throw error
      // Another process inserted the same keys at the same time, so the writes now update those documents.
      return stored.bulkWrite(failed.map(({ index }) => operations[index] as (typeof operations)[number]))
    })
  }

  async function writeAndRead(change: Change): Promise<Stored | null> {
    const { filter, update } = operationOf(change)
    const send = () => stored.findOneAndUpdate(filter, update, { upsert: true, returnDocument: 'after' })
    return send().catch((error: unknown) => (isDuplicate(error) ? send() : Promise.reject(error)))
  }

  /** Counts those attempts of which all keys are open. */
  async function takeEach(attempts: readonly (readonly Bound[])[]): Promise<Standing[][]> {
    const bounds = new Map(attempts.flat().map((bound) => [bound.key, bound]))
    const before = new Map((await find([...bounds.keys()])).map((each) => [each.key, each]))
    const taken = countByKey()
    const expected = attempts.map((attempt) => {
      const each = attempt.map((bound) => standingOf(bound, before.get(bound.key), taken.of(bound.key) + 1))
      if (isOpen(each)) for (const { key } of attempt) taken.add(key)
      return each
    })
    const changes = taken.all().map(([key, points]) => ({ bound: bounds.get(key) as Bound, points }))
    // Near a limit, the write itself says which attempts were the first, because other processes count too.
    const [far, near] = partition(changes, ({ bound, points }) => {
      return standingOf(bound, before.get(bound.key), points).counted * mostProcesses <= bound.max
    })
    const after = new Map<string, Stored | null>()
    await Promise.all([
      write(far),
      ...near.map(async (change) => after.set(change.bound.key, await writeAndRead(change))),
    ])
    const placed = countByKey()
    const late: Bound[] = []
    const standings = attempts.map((attempt, index) => {
      const each = expected[index] as Standing[]
      if (!isOpen(each)) return each
      const own = attempt.map((bound, at) => {
        const { key } = bound
        placed.add(key)
        const ahead = placed.of(key) - taken.of(key)
        return after.has(key) ? standingOf(bound, after.get(key), ahead) : (each[at] as Standing)
      })
      if (!isOpen(own)) late.push(...attempt)
      return own
    })
    await write(late.map((bound) => ({ bound, points: -1 })))
    return standings
  }

  const take = createBatcher(1000, takeEach)
  const change = createBatcher(1000, async (changes: Change[]) => {
    const sums = Map.groupBy(changes, ({ bound, points, countedAt }) =>
      [bound.key, points < 0, countedAt?.getTime()].join(),
    )
    await write(
      [...sums.values()].map((same) => ({
        ...(same[0] as Change),
        points: same.reduce((sum, { points }) => sum + points, 0),
      })),
    )
    return changes.map(() => undefined)
  })
  const read = createReadBatcher<Stored>(find, ({ key }) => [key])
  return {
    /**
     * Counts one point under each key, or none if one of the keys is closed. Concurrent attempts, also of other
     * processes, cannot exceed a limit.
     */
    take: (bounds: readonly Bound[]): Promise<Standing[]> => take(bounds, noDeadline),
    /** Returns the standing that a key would have with `ahead` more points. */
    look: async (bound: Bound, ahead: number): Promise<Standing> =>
      standingOf(bound, await read(bound.key, noDeadline), ahead),
    async add(bounds: readonly Bound[], points: number): Promise<void> {
      if (points > 0) await Promise.all(bounds.map((bound) => change({ bound, points }, noDeadline)))
    },
    /** Gives back one point of each key, unless the period in which it was counted, at `countedAt`, has ended. */
    async giveBack(bounds: readonly Bound[], countedAt?: Date): Promise<void> {
      await Promise.all(
        bounds.map((bound) => change({ bound, points: -1, ...(countedAt && { countedAt }) }, noDeadline)),
      )
    },
    async forget({ key }: Bound): Promise<void> {
      await stored.updateOne({ key }, { $set: { points: 0 } })
    },
  }
}

const isOpen = (standings: readonly Standing[]): boolean => standings.every((each) => each.isOpen)

function partition<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter((item) => isFirst(item)), items.filter((item) => !isFirst(item))]
}

function countByKey() {
  const counts = new Map<string, number>()
  return {
    of: (key: string): number => counts.get(key) ?? 0,
    add: (key: string): unknown => counts.set(key, (counts.get(key) ?? 0) + 1),
    all: (): [key: string, count: number][] => [...counts],
  }
}
