import { hash } from 'node:crypto'
import type { mongo } from 'mongoose'
import type { EventName, ReadFeedQuery } from '../../../schemas/events.ts'
import type { Caller } from '../../businesses/caller.ts'
import { type ChainOwner, chainIndex, numberFilter } from '../../chains/append.ts'
import { maxListReadMs, parsePageRequest, readPageDocuments } from '../../lists/pagination.ts'
import { rawCollection } from '../../mongo/collection.ts'
import type { Deps } from '../../platform/deps.ts'
import { refuse } from '../../platform/errors.ts'
import { checkEventScope, listReadableTypes } from '../list.ts'
import type { LoggedEvent } from '../log.ts'

interface FeedSearch {
  after: number | 'latest'
  types: EventName[]
  limit: number
  waitMs: number
}

interface Feed {
  items: LoggedEvent[]
  next: string
  hasMore: boolean
}

export function parseFeedQuery(caller: Caller, query: ReadFeedQuery): FeedSearch {
  const { after, type, wait = '0' } = query
  if (type !== undefined) checkEventScope(caller, type)
  return {
    after: after === undefined ? 0 : after === 'latest' ? after : readPosition(caller, after),
    types: type === undefined ? listReadableTypes(caller) : [type],
    limit: parsePageRequest(query).limit,
    waitMs: Number(wait) * 1000,
  }
}

type Reads = Pick<Deps, 'LoggedEvent'>

/**
 * Reads the last number first, as an upper bound. Without it, the second read,
 * which scans each type in turn, could return event 8 but miss event 7.
 */
export async function readFeedPage(deps: Reads, { businessId, sandbox }: Caller, search: FeedSearch) {
  const owner = { businessId, sandbox }
  const session = await deps.LoggedEvent.db.startSession({ causalConsistency: true })
  try {
    const last = await findLastEventNumber(deps, owner, { session })
    const after = search.after === 'latest' ? last : search.after
    // After a failover, a majority read may miss the latest events.
    if (after > last && after > (await findLastEventNumber(deps, owner, { readConcern: 'local' })))
      throw lostPosition()
    const { limit } = search
    const range = { ...owner, types: search.types, after, last }
    const found = await readBetween(deps, range, { limit: limit + 1, session })
    const items = found.slice(0, limit)
    const hasMore = found.length > limit
    const end = hasMore ? (items.at(-1)?.number ?? after) : Math.max(after, last)
    return { items, next: writePosition(owner, end), hasMore }
  } finally {
    await session.endSession()
  }
}

const numberOnly = { _id: 0, number: 1 } as const

export async function findLastEventNumber(deps: Reads, owner: ChainOwner, options: mongo.FindOptions) {
  const last = await rawCollection(deps.LoggedEvent).findOne(
    { ...owner, number: numberFilter },
    {
      projection: numberOnly,
      sort: { number: -1 },
      hint: chainIndex.name,
      maxTimeMS: maxListReadMs,
      ...options,
    },
  )
  return last?.number ?? 0
}

interface FeedRange extends ChainOwner, Pick<FeedSearch, 'types'> {
  after: number
  last: number
}

async function readBetween(
  { LoggedEvent: model }: Reads,
  { types, after, last, ...owner }: FeedRange,
  options: mongo.FindOptions,
): Promise<LoggedEvent[]> {
  if (after >= last) return []
  const found = rawCollection(model).find(
    { ...owner, event: { $in: types }, number: { $gt: after, $lte: last } },
    { sort: { number: 1 }, hint: 'byType', maxTimeMS: maxListReadMs, ...options },
  )
  return readPageDocuments(found)
}

/** The check value detects a position from another business or environment. */
const writePosition = (owner: ChainOwner, number: number): string => `${number}-${checkOf(owner, number)}`

function readPosition(owner: ChainOwner, position: string): number {
  const [, digits, check] = /^(0|[1-9]\d{0,14})-([0-9a-f]{8})$/.exec(position) ?? []
  const number = Number(digits)
  if (digits === undefined || check !== checkOf(owner, number))
    throw invalidPosition(
      'after is not valid. Send the `next` value from an earlier response for the same business and environment.',
    )
  return number
}

/** Only stored events have a position, so data must have been lost. */
const lostPosition = () =>
  invalidPosition(
    'after is past the last event, because the service has lost events. Follow the feed from the beginning, and skip the events that you have already processed.',
  )

const invalidPosition = (message: string) => refuse('VALIDATION_ERROR', { param: 'after', message })

const checkOf = ({ businessId, sandbox }: ChainOwner, number: number): string =>
  hash('sha256', `${businessId} ${sandbox} ${number}`, 'hex').slice(0, 8)

export interface FeedWaitLimits {
  read<T>(read: () => Promise<T>): Promise<T>
  signal: AbortSignal
}

type WaitDeps = Pick<Deps, 'LoggedEvent' | 'chainWatch' | 'capacity'>

type WaitResult = { query: ReadFeedQuery } | { data: Feed }

/** Returns null if the query has no `wait`. */
export async function waitForEvent(
  deps: WaitDeps,
  caller: Caller,
  query: ReadFeedQuery,
  { read, signal }: FeedWaitLimits,
): Promise<WaitResult | null> {
  const search = parseFeedQuery(caller, query)
  if (search.waitMs === 0) return null
  const endsAtMs = performance.now() + search.waitMs
  const owner = { businessId: caller.businessId, sandbox: caller.sandbox }
  const session = await deps.LoggedEvent.db.startSession({ causalConsistency: true })
  const findLast = () => read(() => findLastEventNumber(deps, owner, { session }))
  let held: ReturnType<typeof takeSlot> = null
  try {
    let last = await findLast()
    const after = search.after === 'latest' ? last : search.after
    const found = { query: { ...query, after: writePosition(owner, after) } }
    // `readFeedPage` will throw the error for this position.
    if (after > last) return found
    const options = { limit: 1, projection: numberOnly, session }
    for (let seen = after; ; ) {
      const range = { ...owner, types: search.types, after: seen, last }
      if ((await read(() => readBetween(deps, range, options))).length > 0) return found
      held ??= takeSlot(deps, caller.businessId)
      const leftMs = endsAtMs - performance.now()
      if (held === null || !(await deps.chainWatch.grows(owner, last, leftMs, signal))) {
        return { data: { items: [], next: writePosition(owner, last), hasMore: false } }
      }
      seen = last
      last = await findLast()
    }
  } finally {
    held?.free()
    await session.endSession()
  }
}

/** Returns null if the process is at its limit. Throws if the business is. */
function takeSlot({ capacity }: WaitDeps, businessId: string) {
  const [owners, cost] = [[businessId], { polls: 1 }]
  const held = capacity.takeNow(owners, cost)
  if (held === null && capacity.blockOf(owners, cost)?.level === 0) throw capacity.refusal(owners, cost)
  return held
}
