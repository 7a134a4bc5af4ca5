import type { Model } from 'mongoose'
import type { RateLimitScope } from '../../schemas/responses/failure.ts'
import { createBatcher, createReadBatcher, noDeadline } from '../mongo/batchers.ts'
import { isOnlyDuplicates, rawCollection } from '../mongo/collection.ts'
import { declareCollection, type Stored } from '../mongo/declare.ts'
import { date, text, whole } from '../mongo/fields.ts'
import { type Refusal, unavailable } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { startOfUtcDay, utcDayNumber } from '../platform/time.ts'
import { setInLru } from '../platform/use-last.ts'
import { refuseAtLimit } from './limit.ts'

/** The id consists of a name, an owner and, for a quota, the UTC day. */
export const counters = declareCollection({
  name: 'counters',
  kept: 'until it expires with its period',
  fields: {
    _id: text,
    used: whole,
    /** The end of the period. MongoDB removes the document within a minute. */
    expireAt: date,
  },
  indexes: [{ name: 'expiry', key: { expireAt: 1 }, expireAfterSeconds: 0 }],
})
export type Counter = Stored<typeof counters>

/** The period starts with the first point. */
export interface PointLimit {
  id: string
  max: number
  seconds: number
}

export interface Quota {
  name: string
  owner: string
  limit: number
}
type Owned = Pick<Quota, 'name' | 'owner'>

interface Block extends Quota {
  id: string
  expireAt: Date
  /** Negative while some spending hasn't been written. */
  left: number
  size: number
  isReserving: boolean
  settling: Promise<unknown> | null
  /** The last known usage across all processes. */
  used: number
  isReported: boolean
}

interface Change {
  id: string
  amount: number
  extra: number
  max: number
  /** The end of the new period, if this change starts one. */
  expireAt: Date
  granted: number
  full: Counter | null
}
type Group = [Change, ...Change[]]

/** The fraction of a quota that a process may reserve without using it. */
const maxUnused = 0.01
const reportedPart = 0.8
const settleMs = 50
/** A third round is needed only if another process changes a counter. */
const maxRounds = 50
const maxBlocks = 10_000

interface CounterDeps {
  Counter: Model<Counter>
  now(): Date
}

const idOf = ({ name, owner }: Owned, day: number): string => `${name} ${owner} ${day}`

const usedAt = (at: Date, counter: Counter | null | undefined): number =>
  counter && counter.expireAt > at ? counter.used : 0

export async function readUsedToday({ Counter: model, now }: CounterDeps, owned: Owned[]): Promise<number[]> {
  const ids = owned.map((each) => idOf(each, utcDayNumber(now())))
  const found = await model.find({ _id: { $in: ids } }).lean()
  return ids.map((id) => found.find(({ _id }) => _id === id)?.used ?? 0)
}

export const refuseUsedUp = (
  message: string,
  details: { scope: RateLimitScope; limit: number },
  { freeAt, now }: { freeAt: Date; now: Date },
): Refusal =>
  refuseAtLimit(message, details, Math.max(1, Math.ceil((freeAt.getTime() - now.getTime()) / 1000)))

export type Counters = ReturnType<typeof createCounters>

/**
 * Counters that all processes share. A transaction would lock them for others.
 * *Points* are written at once. A *quota* is reserved in blocks and spent in
 * memory, so a killed process leaves its blocks reserved until the day ends.
 */
export function createCounters({ Counter: model, now, log }: CounterDeps & { log: Pick<Log, 'warn'> }) {
  const stored = rawCollection(model)
  const find = (ids: string[]): Promise<Counter[]> => stored.find({ _id: { $in: ids } }).toArray()
  const readBatcher = createReadBatcher<Counter>(find, ({ _id }) => [_id])
  const read = (id: string): Promise<Counter | null> => readBatcher(id, noDeadline)
  const batcher = createBatcher<Change, Change>(1000, writeTogether)
  const write = (change: Pick<Change, 'id' | 'amount' | 'expireAt'> & Partial<Change>): Promise<Change> =>
    batcher({ extra: 0, max: Number.POSITIVE_INFINITY, granted: 0, full: null, ...change }, noDeadline)
  const blocks = new Map<string, Block>()

  async function writeTogether(changes: Change[]): Promise<(Change | Error)[]> {
    const same = ({ id, amount, max, expireAt }: Change) => [id, max, amount < 0 && expireAt.getTime()].join()
    let groups = [...Map.groupBy(changes, same).values()] as Group[]
    let full = new Map<string, Counter>()
    try {
      for (let round = 0; groups.length > 0; round += 1) {
        if (round === maxRounds) throw unavailable()
        const at = now()
        groups = groups
          .map((each) => allot(each, full.get(each[0].id) ?? null, at))
          .filter(({ length }) => length > 0)
        const refused = await send(groups.map((group) => operationOf(group, at)))
        groups = refused.map((index) => groups[index] as Group)
        if (groups.length > 0)
          full = new Map((await find(groups.map(([{ id }]) => id))).map((each) => [each._id, each]))
      }
      return changes
    } catch (error) {
      // Changes that an earlier round made must not be reported as failed.
      const unsettled = new Set(groups.flat())
      return changes.map((change) => (unsettled.has(change) ? (error as Error) : change))
    }
  }

  function allot(group: Group, full: Counter | null, at: Date): Group {
    let left = group[0].max - usedAt(at, full)
    for (const change of group) {
      change.full = full
      change.granted = change.amount <= left ? change.amount : 0
      left -= change.granted
    }
    const fitting = group.filter(({ granted }) => granted !== 0)
    for (const change of fitting) {
      const extra = Math.min(change.extra, left)
      change.granted += extra
      left -= extra
    }
    return fitting as Group
  }

  function operationOf(group: Group, at: Date) {
    const [{ id: _id, max, expireAt }] = group
    const amount = group.reduce((sum, { granted }) => sum + granted, 0)
    const used = { $max: [0, { $add: ['$used', amount] }] }
    if (amount < 0) {
      const filter = { _id, expireAt: { $gt: at, $lte: expireAt } }
      return { updateOne: { filter, update: [{ $set: { used } }], upsert: false } }
    }
    // This is also true for a new document, which has no `expireAt`.
    const isOver = { $lte: ['$expireAt', at] }
    const set = {
      used: { $cond: [isOver, amount, used] },
      expireAt: { $cond: [isOver, expireAt, '$expireAt'] },
    }
    // If too little is left, the upsert fails because the id exists.
    const guard = max < Infinity && { $or: [{ used: { $lte: max - amount } }, { expireAt: { $lte: at } }] }
    return { updateOne: { filter: { _id, ...guard }, update: [{ $set: set }], upsert: true } }
  }

  async function send(operations: ReturnType<typeof operationOf>[]): Promise<number[]> {
    if (operations.length === 0) return []
    try {
      await stored.bulkWrite(operations, { ordered: false })
      return []
    } catch (error) {
      if (!isOnlyDuplicates(error)) throw error
      return [error.writeErrors].flat().map(({ index }) => index)
    }
  }

  const msLeft = (counter: Counter | null): number =>
    Math.max(1, (counter?.expireAt.getTime() ?? 0) - now().getTime())

  const changeEach = (bounds: readonly PointLimit[], amount: number, from = now()): Promise<Change[]> =>
    Promise.all(
      bounds.map(({ id, max, seconds }) =>
        write({ id, amount, max, expireAt: new Date(from.getTime() + seconds * 1000) }),
      ),
    )

  function blockOf({ name, owner }: Owned): Block {
    const day = utcDayNumber(now())
    const id = idOf({ name, owner }, day)
    const block = blocks.get(id) ?? { ...empty, name, owner, id, expireAt: startOfUtcDay(day + 1) }
    setInLru(blocks, id, block, maxBlocks, (unused) => void settle(unused, 0))
    return block
  }

  const mostUnused = ({ limit }: Block): number => Math.floor(limit * maxUnused)

  async function reserve(block: Block, amount: number): Promise<boolean> {
    const { id, expireAt, limit: max, isReserving } = block
    const size = isReserving ? 0 : Math.min(block.size * 2, mostUnused(block) - block.left)
    block.isReserving = true
    const reserving = write({ id, amount, extra: Math.max(0, size - amount), expireAt, max })
    const { granted } = await (isReserving ? reserving : reserving.finally(() => (block.isReserving = false)))
    if (granted === 0) return false
    block.left += granted - amount
    block.size = Math.max(block.size, granted)
    if (blocks.get(id) !== block) void settle(block, 0)
    void note(block)
    return true
  }

  async function note(block: Block): Promise<void> {
    const { id, name: quota, owner: businessId, limit } = block
    block.used = (await read(id).catch(() => null))?.used ?? block.used
    if (block.isReported || block.used < limit * reportedPart) return
    block.isReported = true
    log.warn({ quota, businessId, used: block.used, limit }, 'quota.nearly-used')
  }

  /** Gives back all but `most` unused units, or writes uncounted spending. */
  async function settle(block: Block, most: number): Promise<void> {
    const kept = Math.min(Math.max(block.left, 0), most)
    const amount = kept - block.left
    block.left = kept
    const { id, expireAt } = block
    if (amount !== 0) block.settling = write({ id, amount, expireAt }).catch(() => (block.left -= amount))
    await block.settling
  }

  const settleLater = createBatcher<Block, void>(
    maxBlocks,
    (due) => Promise.all(due.map((block) => settle(block, mostUnused(block)))),
    () => settleMs,
  )

  return {
    /** The result includes `ahead` points that haven't been counted. */
    async look({ id, max }: PointLimit, ahead: number): Promise<{ used: number; closedMs: number }> {
      const counter = await read(id)
      const used = usedAt(now(), counter) + ahead
      return { used, closedMs: used <= max ? 0 : msLeft(counter) }
    },
    /** Counts a point in every counter, or in none if one of them is full. */
    async take(bounds: readonly PointLimit[]): Promise<number[]> {
      const taken = await changeEach(bounds, 1)
      const granted = bounds.filter((_, index) => taken[index]?.granted === 1)
      if (granted.length < bounds.length) await changeEach(granted, -1)
      return taken.map((each) => (each.granted === 1 ? 0 : msLeft(each.full)))
    },
    add: (bounds: readonly PointLimit[], points: number): Promise<unknown> =>
      changeEach(bounds.map(withoutMax), points),
    /** Skips a counter whose period began after `countedAt`. */
    giveBack: (bounds: readonly PointLimit[], countedAt?: Date): Promise<unknown> =>
      changeEach(bounds, -1, countedAt),
    forget: ({ id }: Pick<PointLimit, 'id'>): Promise<unknown> =>
      stored.updateOne({ _id: id }, { $set: { used: 0 } }),
    async spend(quota: Quota, amount: number): Promise<boolean> {
      const block = blockOf(quota)
      block.limit = quota.limit
      if (block.left > mostUnused(block)) void settle(block, mostUnused(block))
      if (block.left < amount) return reserve(block, amount)
      block.left -= amount
      return true
    },
    /** A negative `amount` gives back unused units. */
    count(owned: Owned, amount: number): void {
      const block = blockOf(owned)
      block.left -= amount
      const isDue = block.left < 0 || block.left > mostUnused(block)
      if (isDue) settleLater(block, noDeadline).catch(() => undefined)
    },
    /** Includes only the owners that used this quota in this process. */
    async fullest(name: string, most: number): Promise<(Quota & { used: number })[]> {
      const own = [...blocks.values()].filter(
        (each) => each.name === name && each.limit > 0 && each.expireAt > now(),
      )
      const first = () => own.toSorted((a, b) => b.used / b.limit - a.used / a.limit).slice(0, most)
      await Promise.all(first().map(note))
      return first()
    },
    close: (): Promise<unknown> => Promise.all([...blocks.values()].map((block) => settle(block, 0))),
  }
}

const withoutMax = (bound: PointLimit): PointLimit => ({ ...bound, max: Infinity })

const empty = { limit: 0, left: 0, size: 0, isReserving: false, settling: null, used: 0, isReported: false }
