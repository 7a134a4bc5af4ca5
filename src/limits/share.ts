import { type Refusal, unavailable } from '../platform/errors.ts'
import { type ProcessClock, processClock } from '../platform/process-clock.ts'
import { type LimitedResource, type OwnerRefusal, type PerOwnerLimit, refuseAtLimit } from './limit.ts'

export type ShareCost<Name extends string> = Partial<Record<Name, number>>

export interface ShareReservation<Name extends string> {
  resize(cost: ShareCost<Name>): boolean
  /** Keeps the old amounts until the new ones fit. */
  moveTo(cost: ShareCost<Name>): void
  free(): void
}

export type Share<Name extends string> = ReturnType<typeof createShare<Name>>

interface Waiter<Name extends string> {
  owners: readonly string[]
  more: ShareCost<Name>
  grant(): void
}

/** `level` is null if the whole process's capacity is used up. */
interface Block<Name extends string> {
  name: Name
  level: number | null
}

/** One outermost owner's waiters, by innermost owner and resources. */
type Line<Name extends string> = Map<string, Waiter<Name>[]>

/**
 * The waiting owner that holds the least comes first, and a caller gets either
 * everything it needs or nothing. So waiters never block each other.
 */
export function createShare<Name extends string>(
  resources: Record<Name, LimitedResource>,
  {
    onFree = () => undefined,
    after = processClock.after,
  }: { onFree?: () => void } & Partial<Pick<ProcessClock, 'after'>> = {},
) {
  type Owners = readonly string[]
  type Cost = ShareCost<Name>
  type Held = ShareReservation<Name>
  const names = Object.keys(resources) as Name[]
  const namesOf = (cost: Cost) => Object.keys(cost) as Name[]
  const none = () => Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>
  const taken = none()
  const levels: Map<string, Record<Name, number>>[] = []
  /** The least recently served owner comes first. */
  const lines = new Map<string, Line<Name>>()
  let isTight = false

  const totalOf = (name: Name): number => resources[name].total ?? Number.POSITIVE_INFINITY

  const held = (name: Name, key: string, level = 0): number => levels[level]?.get(key)?.[name] ?? 0

  const limitOf = (part: PerOwnerLimit, key: string) =>
    typeof part.max === 'number' ? part.max : part.max(key)

  function change(owners: Owners, more: Cost): void {
    for (const [level, key] of owners.entries()) {
      const ofLevel = (levels[level] ??= new Map())
      const used = ofLevel.get(key) ?? none()
      ofLevel.set(key, used)
      for (const name in more) used[name] += more[name] ?? 0
      if (names.every((name) => used[name] === 0)) ofLevel.delete(key)
    }
    for (const name in more) taken[name] += more[name] ?? 0
  }

  function blockOf(owners: Owners, more: Cost): Block<Name> | null {
    let process: Block<Name> | null = null
    for (const name in more) {
      const by = more[name] ?? 0
      if (by <= 0) continue
      const { parts, leavesFree } = resources[name]
      for (const [level, part] of parts.entries()) {
        const key = owners[level]
        if (key !== undefined && held(name, key, level) + by > limitOf(part, key)) return { name, level }
      }
      const stays = leavesFree ? held(name, owners[0] ?? '') + by : 0
      if (taken[name] + by + stays > totalOf(name)) process = { name, level: null }
    }
    return process
  }

  function fits(owners: Owners, more: Cost): boolean {
    const block = blockOf(owners, more)
    if (block?.level === null) isTight = true
    return block === null
  }

  const queueOf = (owners: Owners, more: Cost): string => [owners.at(-1), ...namesOf(more)].join(' ')

  const ahead = (owners: Owners, more: Cost): number =>
    lines.get(owners[0] ?? '')?.get(queueOf(owners, more))?.length ?? 0

  const isFull = (owners: Owners, more: Cost): boolean =>
    ahead(owners, more) >= Math.min(...namesOf(more).map((name) => resources[name].maxWaiting ?? 100))

  function enqueue(waiter: Waiter<Name>): () => boolean {
    const [owner = ''] = waiter.owners
    const line: Line<Name> = lines.get(owner) ?? new Map()
    const key = queueOf(waiter.owners, waiter.more)
    const queue = line.get(key) ?? []
    queue.push(waiter)
    line.set(key, queue)
    lines.set(owner, line)
    return () => {
      const at = queue.indexOf(waiter)
      if (at >= 0) leave(owner, line, key, queue, at)
      return at >= 0
    }
  }

  function leave(owner: string, line: Line<Name>, key: string, queue: Waiter<Name>[], at: number): void {
    queue.splice(at, 1)
    if (queue.length === 0) line.delete(key)
    if (line.size === 0) lines.delete(owner)
  }

  function serveOne(owner: string, line: Line<Name>): boolean {
    for (const [key, queue] of line) {
      const [first] = queue
      if (first === undefined || !fits(first.owners, first.more)) continue
      leave(owner, line, key, queue, 0)
      if (line.delete(key)) line.set(key, queue)
      if (lines.delete(owner)) lines.set(owner, line)
      change(first.owners, first.more)
      first.grant()
      return true
    }
    return false
  }

  function partOf(owner: string, line: Line<Name>): number {
    let part = 0
    for (const [first] of line.values())
      for (const name in first?.more)
        if ((first.more[name] ?? 0) > 0) part = Math.max(part, held(name, owner) / totalOf(name))
    return part
  }

  /** Serving a waiter can free more, because `moveTo` frees the old amounts. */
  const freed = new Set<string>()
  let isServing = false

  function serve(freedBy: string): void {
    freed.add(freedBy)
    if (isServing) return
    isServing = true
    for (const owner of freed) {
      freed.delete(owner)
      while (isTight && serveNext());
      const line = lines.get(owner)
      if (line !== undefined) while (serveOne(owner, line));
    }
    isServing = false
    onFree()
  }

  /** Afterwards, `isTight` is true only if the total still blocks a waiter. */
  function serveNext(): boolean {
    const inOrder = [...lines].toSorted((one, other) => partOf(...one) - partOf(...other))
    isTight = false
    const isServed = inOrder.some(([owner, line]) => serveOne(owner, line))
    if (isServed) isTight = true
    return isServed
  }

  function hold(owners: Owners, cost: Cost): Held {
    const now = { ...cost }
    let isFree = false
    let stopMoving: (() => unknown) | null = null
    const differenceTo = (next: Cost): Cost => {
      const more: Cost = {}
      for (const name in next) {
        const by = (next[name] ?? 0) - (now[name] ?? 0)
        if (by !== 0) more[name] = by
      }
      return more
    }
    const note = (next: Cost, more: Cost): void => {
      Object.assign(now, next)
      if (namesOf(more).some((name) => (more[name] ?? 0) < 0)) serve(owners[0] ?? '')
    }
    const resize = (next: Cost): boolean => {
      const more = differenceTo(next)
      if (isFree || !fits(owners, more)) return false
      change(owners, more)
      note(next, more)
      return true
    }
    return {
      resize,
      moveTo(next) {
        if (resize(next) || isFree) return
        const more = differenceTo(next)
        const grant = (): void => {
          stopMoving = null
          note(next, more)
        }
        stopMoving = enqueue({ owners, more, grant })
      },
      free() {
        if (isFree) return
        isFree = true
        stopMoving?.()
        change(owners, differenceTo(none()))
        serve(owners[0] ?? '')
      },
    }
  }

  function takeNow(owners: Owners, cost: Cost): Held | null {
    if (ahead(owners, cost) > 0 || !fits(owners, cost)) return null
    change(owners, cost)
    return hold(owners, cost)
  }

  function take(owners: Owners, cost: Cost, waitMs: number): Promise<Held | null> {
    const now = takeNow(owners, cost)
    if (now !== null || waitMs <= 0 || isFull(owners, cost)) return Promise.resolve(now)
    return new Promise((resolve) => {
      const grant = (): void => {
        cancel()
        resolve(hold(owners, cost))
      }
      const stop = enqueue({ owners, more: cost, grant })
      const cancel = after(waitMs, () => stop() && resolve(null))
    })
  }

  return {
    used: (): Readonly<Record<Name, number>> => taken,
    take,
    takeNow,
    /** Counts even amounts that don't fit, because they're already in use. */
    force(owners: Owners, cost: Cost): Held {
      change(owners, cost)
      return hold(owners, cost)
    },
    blockOf,
    refusal(owners: Owners, cost: Cost, instead?: OwnerRefusal): Refusal {
      const block = blockOf(owners, cost)
      const isAtFault = block === null ? isFull(owners, cost) : block.level !== null
      const name = block?.name ?? namesOf(cost)[0]
      if (name === undefined || !isAtFault) return unavailable()
      const { scope, message, limit } = instead ?? resources[name]
      if (scope === undefined) return unavailable()
      const own = limit ?? limitOf(resources[name].parts[0], owners[0] ?? '')
      return refuseAtLimit(message, { scope, limit: own })
    },
    left(name: Name, owners: Owners): number {
      const { parts, leavesFree } = resources[name]
      const ofParts = parts.map((part, level) => {
        const key = owners[level]
        return key === undefined ? Number.POSITIVE_INFINITY : limitOf(part, key) - held(name, key, level)
      })
      const others = leavesFree ? held(name, owners[0] ?? '') : 0
      return Math.max(0, Math.min(...ofParts, totalOf(name) - taken[name] - others))
    },
    held,
    /** Of an outermost owner. */
    limit: (name: Name, owner = ''): number => limitOf(resources[name].parts[0], owner),
    waiting: (owner: string): number => [...(lines.get(owner)?.values() ?? [])].flat().length,
    largest(name: Name): string | null {
      let largest: string | null = null
      for (const key of levels[0]?.keys() ?? [])
        if (held(name, key) > held(name, largest ?? '')) largest = key
      return largest
    },
  }
}
