import { setTimeout as pause } from 'node:timers/promises'
import type { mongo } from 'mongoose'
import { maxListReadMs } from '../lists/pagination.ts'
import { type Batcher, backgroundRestMs, createBatcher } from '../mongo/batchers.ts'
import { isOnlyDuplicates } from '../mongo/collection.ts'
import { flag, part, text, type ValueOfField, whole } from '../mongo/fields.ts'
import { unavailable } from '../platform/errors.ts'

/** Documents are numbered from 1 and never change. */
export const chainFields = part({ businessId: text, sandbox: flag, _id: text, number: whole })
type ChainLink = ValueOfField<typeof chainFields>
export type ChainOwner = Pick<ChainLink, 'businessId' | 'sandbox'>

export const chainIndex = {
  name: 'chain',
  key: { businessId: 1, sandbox: 1, number: 1 },
  unique: true,
} as const

/** A deterministic id ensures that a repeated draft is stored only once. */
interface Draft {
  _id: string
}

/** Even ten concurrent processes rarely need more than a few rounds. */
const maxRounds = 50
/** The pause is random, so that processes don't collide again. */
const maxPauseMs = 10

/** A forged number may be a string, which would sort above all numbers. */
export const numberFilter = { $gt: 0, $lte: Number.MAX_SAFE_INTEGER } as const

export const findChainEnd = <Doc extends ChainLink>(
  collection: mongo.Collection<Doc>,
  { businessId, sandbox }: ChainOwner,
): Promise<Doc | null> =>
  collection.findOne({ businessId, sandbox, number: numberFilter } as mongo.Filter<Doc>, {
    sort: { number: -1 },
    hint: chainIndex.name,
    maxTimeMS: maxListReadMs,
  }) as Promise<Doc | null>

/** Runs `build` again if another process appended to the chain first. */
export async function appendToChain<Doc extends ChainLink>(
  collection: mongo.Collection<Doc>,
  owner: ChainOwner,
  drafts: readonly Draft[],
  build: (last: Doc | null, appended: ReadonlySet<string>) => Doc[] | Promise<Doc[]>,
  insert = (links: mongo.OptionalUnlessRequiredId<Doc>[]): Promise<unknown> => collection.insertMany(links),
): Promise<void> {
  let appended: ReadonlySet<string> = new Set()
  for (let round = 0; round < maxRounds; round += 1) {
    const links = await build(await findChainEnd(collection, owner), appended)
    if (links.length === 0) return
    try {
      await insert(links as mongo.OptionalUnlessRequiredId<Doc>[])
      return
    } catch (error) {
      if (!isOnlyDuplicates(error)) throw error
    }
    await pause(Math.random() * maxPauseMs)
    const filter = { _id: { $in: drafts.map(({ _id }) => _id) } } as mongo.Filter<Doc>
    const found = await collection.find(filter, { projection: { _id: 1 } }).toArray()
    appended = new Set(found.map(({ _id }) => _id))
  }
  throw unavailable()
}

const longestBatch = 250
/** Inserting this many documents blocks the process for about 30 ms. */
const longestInsert = 500

export type AppendListener = (owner: ChainOwner, documents: readonly object[]) => void

type ChainAppender<Item> = (owner: ChainOwner, drafts: readonly Item[], deadlineAt: number) => Promise<void>

/** Batches concurrent appends to a chain so that they don't collide. */
export function createChainAppender<Item extends Draft, Doc extends ChainLink>(
  collection: mongo.Collection<Doc>,
  link: (owner: ChainOwner, last: Doc | null, draft: Item) => Doc[],
  onAppended: AppendListener = () => undefined,
): ChainAppender<Item> {
  const open = new Map<string, { batcher: Batcher<readonly Item[], null>; callers: number }>()

  const appendTogether = (owner: ChainOwner, drafts: readonly Item[]): Promise<void> =>
    appendToChain(
      collection,
      owner,
      drafts,
      (last, appended) =>
        drafts
          .filter(({ _id }) => !appended.has(_id))
          .reduce<Doc[]>((links, draft) => {
            links.push(...link(owner, links.at(-1) ?? last, draft))
            return links
          }, []),
      async (links) => {
        try {
          await collection.insertMany(links)
        } catch (error) {
          if (isOnlyDuplicates(error)) onAppended(owner, links.slice(0, error.insertedCount))
          throw error
        }
        onAppended(owner, links)
      },
    )

  const createFor = (owner: ChainOwner) =>
    createBatcher<readonly Item[], null>(
      longestBatch,
      async (groups) => {
        const drafts = [...new Map(groups.flat().map((draft) => [draft._id, draft])).values()]
        for (let start = 0; start < drafts.length; start += longestInsert)
          await appendTogether(owner, drafts.slice(start, start + longestInsert))
        return groups.map(() => null)
      },
      backgroundRestMs,
    )

  return async (owner, drafts, deadlineAt) => {
    const key = `${owner.businessId} ${owner.sandbox}`
    const chain = open.get(key) ?? { batcher: createFor(owner), callers: 0 }
    open.set(key, chain)
    chain.callers += 1
    try {
      await chain.batcher(drafts, deadlineAt)
    } finally {
      chain.callers -= 1
      if (chain.callers === 0) open.delete(key)
    }
  }
}
