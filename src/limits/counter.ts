import type { Model } from 'mongoose'
import { type Refusal, refuse } from '../errors.ts'
import { createBatcher, noDeadline } from '../mongo/batching/batcher.ts'
import { createReadBatcher } from '../mongo/batching/read-batcher.ts'
import { type Collection, isOnlyDuplicates, nativeCollection } from '../mongo/collection.ts'
import type { Log } from '../process/log.ts'

/** A durable count within a period. The id names what is counted, its owner and, for a quota, the UTC day. */
export interface Counter {
  _id: string
  used: number
  /** The end of the period. MongoDB may remove the document up to a minute later. */
  expireAt: Date
}

export const counters: Collection = {
  name: 'counters',
  fields: { _id: String, used: Number, expireAt: Date },
  indexes: [{ name: 'expiry', key: { expireAt: 1 }, expireAfterSeconds: 0 }],
}

/** The most points that a counter may have within a period, which starts with its first point. */
export interface Bound {
  id: string
  max: number
  seconds: number
}

/** How many points a counter has, with those of the caller, and how long it is closed if these are too many. */
export interface Standing {
  used: number
  closedMs: number
}

/** What is counted of one owner within a UTC day. */
export interface Owned {
  name: string
  owner: string
}

/** What one owner may use within a UTC day. */
export interface Quota extends Owned {
  limit: number
}

/** What this process has reserved of a quota, so that it is spent in memory. What is still to be counted is negative. */
interface Block extends Quota {
  id: string
  expireAt: Date
  left: number
  /** The size of the last reservation. */
  size: number
  isReserving: boolean
  /** What all processes had used or reserved when it was last read. */
  used: number
  isReported: boolean
}

interface Change {
  id: string
  /** Given back if negative. */
  amount: number
  /** Granted too, as far as there is more. */
  extra?: number
  max?: number
  /** The end of the period that it starts. Points are given back only to a period that ends by this time. */
  expireAt: Date
}

/** `full` is the counter as it was when too little was left. */
type Outcome = { granted: number; full: Counter | null }

const dayMs = 86_400_000
export const dayOf = (at: Date): number => Math.floor(at.getTime() / dayMs)
export const startOf = (day: number): Date => new Date(day * dayMs)

/** A process holds at most this part of a quota without using it. */
const maxUnused = 0.01
const reportedPart = 0.8
/** What needs no reservation is counted this much later, together with what follows. */
const countMs = 50
/** A block takes about 300 bytes. */
const maxBlocks = 10_000

interface CounterDeps {
  Counter: Model<Counter>
  now(): Date
}

const idOf = ({ name, owner }: Owned, day: number): string => `${name} ${owner} ${day}`

const usedAt = (at: Date, counter: Counter | null | undefined): number =>
  counter && counter.expireAt > at ? counter.used : 0

/** Returns how much of each quota is used or reserved today. */
export async function usedToday({ Counter: model, now }: CounterDeps, owned: readonly Owned[]): Promise<number[]> {
  const ids = owned.map((each) => idOf(each, dayOf(now())))
  const found = await nativeCollection(model)
    .find({ _id: { $in: ids } })
    .toArray()
  return ids.map((id) => found.find(({ _id }) => _id === id)?.used ?? 0)
}

/** The error of an act for which too little is left until `freeAt`. */
export const usedUp = (
  {
    scope,
    limit,
    message,
  }: { scope: 'storage' | 'sandbox' | 'audit' | 'codes' | 'replays'; limit: number; message: string },
  freeAt: Date,
  now: Date,
): Refusal =>
  refuse('RATE_LIMITED', {
    message,
    details: { scope, limit },
    retryAfterSeconds: Math.max(1, Math.ceil((freeAt.getTime() - now.getTime()) / 1000)),
  })

export type Counters = ReturnType<typeof openCounters>

/**
 * Counts for all processes, in MongoDB. Nothing is counted within a transaction, because all who write a document wait
 * for each other. What the callers of one process count is written together.
 *
 * *Points* count failures. Each is written at once. A *quota* is reserved in blocks that are spent in memory: first
 * what an act needs, then twice as much each time. A process that is killed loses its blocks until the day ends.
 */
export function openCounters({ Counter: model, now, log }: CounterDeps & { log: Pick<Log, 'warn'> }) {
  const stored = nativeCollection(model)
  const find = (ids: string[]): Promise<Counter[]> => stored.find({ _id: { $in: ids } }).toArray()
  const readBatcher = createReadBatcher<Counter>(find, ({ _id }) => [_id])
  const read = (id: string): Promise<Counter | null> => readBatcher(id, noDeadline)
  const writeBatcher = createBatcher<Change, Outcome>(1000, writeTogether)
  const write = (change: Change): Promise<Outcome> => writeBatcher(change, noDeadline)
  /** In the order of their last use. */
  const blocks = new Map<string, Block>()
  const unsettled = new Set<Block>()
  let timer: NodeJS.Timeout | null = null

  async function writeTogether(changes: Change[]): Promise<Outcome[]> {
    const outcomes = new Map<Change, Outcome>()
    const same = ({ id, amount, max, expireAt }: Change) => [id, max, amount < 0 && expireAt.getTime()].join()
    let groups = [...Map.groupBy(changes, same).values()]
    let known = new Map<string | undefined, Counter>()
    while (groups.length > 0) {
      const at = now()
      groups = groups.map((group) => allot(group, known.get(group[0]?.id) ?? null, outcomes, at))
      groups = groups.filter(({ length }) => length > 0)
      const refused = await send(groups.map((group) => operationOf(group, outcomes, at)))
      groups = refused.map((index) => groups[index] as Change[])
      if (groups.length > 0)
        known = new Map((await find(groups.flatMap(([change]) => change?.id ?? []))).map((each) => [each._id, each]))
    }
    return changes.map((change) => outcomes.get(change) as Outcome)
  }

  /** Grants a counter's changes in their order, as far as enough is left, and then shares out the rest. */
  function allot(group: Change[], full: Counter | null, outcomes: Map<Change, Outcome>, at: Date): Change[] {
    let left = (group[0]?.max ?? Number.POSITIVE_INFINITY) - usedAt(at, full)
    const fitting = group.filter((change) => {
      const fits = change.amount <= left
      if (fits) left -= change.amount
      outcomes.set(change, { granted: fits ? change.amount : 0, full })
      return fits
    })
    for (const change of fitting) {
      const extra = Math.min(change.extra ?? 0, left)
      left -= extra
      outcomes.set(change, { granted: change.amount + extra, full })
    }
    return fitting
  }

  function operationOf(group: Change[], outcomes: Map<Change, Outcome>, at: Date) {
    const { id: _id, max, expireAt } = group[0] as Change
    const amount = group.reduce((sum, change) => sum + (outcomes.get(change)?.granted ?? 0), 0)
    const used = { $max: [0, { $add: ['$used', amount] }] }
    if (amount < 0) {
      const filter = { _id, expireAt: { $gt: at, $lte: expireAt } }
      return { updateOne: { filter, update: [{ $set: { used } }], upsert: false } }
    }
    // Also true of a new document, because a missing field sorts before any date.
    const isOver = { $lte: ['$expireAt', at] }
    const set = { used: { $cond: [isOver, amount, used] }, expireAt: { $cond: [isOver, expireAt, '$expireAt'] } }
    // If too little is left, the filter does not match, and MongoDB refuses a second document with the id.
    const guard = max !== undefined && { $or: [{ used: { $lte: max - amount } }, { expireAt: { $lte: at } }] }
    return { updateOne: { filter: { _id, ...guard }, update: [{ $set: set }], upsert: true } }
  }

  /** Returns the indexes of the operations that were refused. */
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

  const msUntil = (at: Date | undefined): number => Math.max(1, (at?.getTime() ?? 0) - now().getTime())

  const changeEach = (bounds: readonly Bound[], amount: number, from = now(), isBounded = false): Promise<Outcome[]> =>
    Promise.all(
      bounds.map(({ id, max, seconds }) => {
        const expireAt = new Date(from.getTime() + seconds * 1000)
        return write({ id, amount, expireAt, ...(isBounded && { max }) })
      }),
    )

  /** Returns how long each counter is closed, in ms. Counts one point in each of them if none is closed. */
  async function take(bounds: readonly Bound[]): Promise<number[]> {
    const taken = await changeEach(bounds, 1, now(), true)
    const granted = bounds.filter((_, index) => taken[index]?.granted === 1)
    if (granted.length < bounds.length) await changeEach(granted, -1)
    return taken.map((each) => (each.granted === 1 ? 0 : msUntil(each.full?.expireAt)))
  }

  function blockOf({ name, owner }: Owned): Block {
    const day = dayOf(now())
    const id = idOf({ name, owner }, day)
    const block = blocks.get(id) ?? { ...empty, name, owner, id, expireAt: startOf(day + 1) }
    blocks.delete(id)
    blocks.set(id, block)
    const [oldest] = blocks.values()
    if (blocks.size > maxBlocks && oldest !== undefined) {
      blocks.delete(oldest.id)
      void settle(oldest, 0)
    }
    return block
  }

  const mostUnused = ({ limit }: Block): number => Math.floor(limit * maxUnused)

  /** Reserves `amount`, which the caller spends, and a block for later acts. */
  async function reserve(block: Block, amount: number): Promise<boolean> {
    const { id, expireAt, limit: max, isReserving } = block
    const size = Math.min(block.size * 2, mostUnused(block) - block.left)
    block.isReserving = true
    const extra = isReserving ? 0 : Math.max(0, size - amount)
    const reserving = write({ id, amount, extra, expireAt, max })
    const { granted } = await (isReserving ? reserving : reserving.finally(() => (block.isReserving = false)))
    if (granted === 0) return false
    block.left += granted - amount
    block.size = Math.max(block.size, granted)
    void read(id).then(
      (counter) => report(block, usedAt(now(), counter)),
      () => undefined,
    )
    return true
  }

  function report(block: Block, used: number): void {
    const { name, owner, limit } = block
    block.used = used
    if (block.isReported || used < limit * reportedPart) return
    block.isReported = true
    log.warn({ quota: name, businessId: owner, used, limit }, 'quota.nearly-used')
  }

  /** Gives back what is left beyond `most`, or counts what is still to be counted. */
  async function settle(block: Block, most: number): Promise<void> {
    const kept = Math.min(Math.max(block.left, 0), most)
    const amount = kept - block.left
    block.left = kept
    if (amount === 0) return
    await write({ id: block.id, amount, expireAt: block.expireAt }).catch(() => (block.left -= amount))
  }

  /** Counts what has been stored, even beyond the limit. A negative `amount` was spent in vain. Nobody waits for it. */
  function count(owned: Owned, amount: number): void {
    const block = blockOf(owned)
    block.left -= amount
    if (block.left >= 0 && block.left <= mostUnused(block)) return
    unsettled.add(block)
    timer ??= setTimeout(settleAll, countMs).unref()
  }

  function settleAll(): void {
    timer = null
    for (const block of unsettled) void settle(block, mostUnused(block))
    unsettled.clear()
  }

  return {
    /** Returns the standing that a counter would have with `ahead` more points. */
    async look({ id, max }: Bound, ahead: number): Promise<Standing> {
      const counter = await read(id)
      const used = usedAt(now(), counter) + ahead
      return { used, closedMs: used <= max ? 0 : msUntil(counter?.expireAt) }
    },
    take,
    /** Counts points, even beyond the bounds. */
    add: (bounds: readonly Bound[], points: number): Promise<unknown> => changeEach(bounds, points),
    /** Gives back one point of each counter, unless its period began after `countedAt`. */
    giveBack: (bounds: readonly Bound[], countedAt?: Date): Promise<unknown> => changeEach(bounds, -1, countedAt),
    forget: ({ id }: Pick<Bound, 'id'>): Promise<unknown> => stored.deleteOne({ _id: id }),
    /** Spends a part of a quota. Returns false if too little is left. */
    async spend(quota: Quota, amount: number): Promise<boolean> {
      const block = blockOf(quota)
      block.limit = quota.limit
      // The limit has been lowered.
      if (block.left > mostUnused(block)) void settle(block, mostUnused(block))
      if (block.left < amount) return reserve(block, amount)
      block.left -= amount
      return true
    },
    count,
    /** Returns the owners that have used the largest part of a quota, among those that spent it through this process. */
    async fullest(name: string, most: number): Promise<(Quota & { used: number })[]> {
      const own = [...blocks.values()].filter(
        (block) => block.name === name && block.limit > 0 && block.expireAt > now(),
      )
      const first = () => own.toSorted((a, b) => b.used / b.limit - a.used / a.limit).slice(0, most)
      for (const { _id, used } of await find(first().map(({ id }) => id)))
        Object.assign(blocks.get(_id) ?? {}, { used })
      return first()
    },
    /** Gives back what is left of the blocks. */
    async close(): Promise<void> {
      clearTimeout(timer ?? undefined)
      await Promise.all([...blocks.values()].map((block) => settle(block, 0)))
    },
  }
}

const empty = { limit: 0, left: 0, size: 0, isReserving: false, used: 0, isReported: false }
