import { setTimeout as pause } from 'node:timers/promises'
import { mongo } from 'mongoose'
import { longestReadMs } from '../lists/pagination.ts'
import { type Batcher, backgroundRest, createBatcher } from '../mongo/batchers.ts'
import { flag, type Of, part, text, whole } from '../mongo/fields.ts'
import { unavailable } from '../platform/errors.ts'

/**
 * A document in a numbered chain. The documents of an owner are numbered 1, 2, 3 and so on. Each document is built from
 * the one before it, and never changes. The collection needs `chainIndex`.
 */
export const chainFields = part({ businessId: text, sandbox: flag, _id: text, number: whole })
export type ChainLink = Of<typeof chainFields>
/** The owner of a chain: a business in one environment. */
export type ChainOwner = Pick<ChainLink, 'businessId' | 'sandbox'>

/** The unique index that allows only one document to follow another. */
export const chainIndex = {
  name: 'chain',
  key: { businessId: 1, sandbox: 1, number: 1 },
  unique: true,
} as const

/** An item to append. Its id is deterministic, so that an item that is appended twice is stored once. */
interface Draft {
  _id: string
}

/**
 * The maximum number of times that an append starts again because other processes have appended something to the same
 * chain. An append takes about two milliseconds, so even ten processes rarely need more than a few rounds.
 */
const maxRounds = 50
/** The maximum random pause before an append starts again. */
const maxPauseMs = 10

/** What a document can have as its number. A forged one may have any BSON value, and a text would be the largest. */
export const isNumber = { $gt: 0, $lte: Number.MAX_SAFE_INTEGER } as const

/** Returns the last document of a chain, or null if the chain is empty. */
export const findLast = <Doc extends ChainLink>(
  collection: mongo.Collection<Doc>,
  { businessId, sandbox }: ChainOwner,
): Promise<Doc | null> =>
  collection.findOne({ businessId, sandbox, number: isNumber } as mongo.Filter<Doc>, {
    sort: { number: -1 },
    hint: chainIndex.name,
    maxTimeMS: longestReadMs,
  }) as Promise<Doc | null>

/**
 * Appends the documents that `build` returns for the last document of the chain. If another process appends something
 * in the meantime, the numbers collide, nothing more is inserted, and the append starts again. Then `build` is called
 * with the new last document and the ids of those `drafts` that are already in the chain. An `insert` of the caller may
 * write more, in a transaction.
 */
export async function appendLinks<Doc extends ChainLink>(
  collection: mongo.Collection<Doc>,
  owner: ChainOwner,
  drafts: readonly Draft[],
  build: (last: Doc | null, appended: ReadonlySet<string>) => Doc[] | Promise<Doc[]>,
  insert = (links: mongo.OptionalUnlessRequiredId<Doc>[]): Promise<unknown> => collection.insertMany(links),
): Promise<void> {
  let appended: ReadonlySet<string> = new Set()
  for (let round = 0; round < maxRounds; round += 1) {
    const links = await build(await findLast(collection, owner), appended)
    if (links.length === 0) return
    try {
      await insert(links as mongo.OptionalUnlessRequiredId<Doc>[])
      return
    } catch (error) {
      if (!isCollision(error)) throw error
    }
    await pause(Math.random() * maxPauseMs)
    appended = await idsAmong(collection, drafts)
  }
  throw unavailable()
}

async function idsAmong<Doc extends ChainLink>(
  collection: mongo.Collection<Doc>,
  drafts: readonly Draft[],
): Promise<Set<string>> {
  const filter = { _id: { $in: drafts.map(({ _id }) => _id) } } as mongo.Filter<Doc>
  const found = await collection.find(filter, { projection: { _id: 1 } }).toArray()
  return new Set(found.map(({ _id }) => _id))
}

/** Returns whether an insert failed because of a duplicate number or id. Any other error leaves the outcome unknown. */
const isCollision = (error: unknown): boolean =>
  error instanceof mongo.MongoBulkWriteError &&
  error.code === 11000 &&
  error.result.getWriteConcernError() === undefined

/** The maximum number of groups of drafts that one batch combines. */
const longestBatch = 250
/**
 * The maximum number of drafts that are linked and inserted together, which takes about 30 ms. A batch can contain many
 * thousand drafts, because an outbox can contain many events, and the process serves nothing else while it links them.
 */
const longestInsert = 500

/** Called with documents that have been stored for an owner. */
export type OnStored = (owner: ChainOwner, documents: readonly object[]) => void

/** Appends a group of drafts to the chain of an owner. Drafts that are already in the chain are left out. */
export type Appender<Item> = (owner: ChainOwner, drafts: readonly Item[], deadlineAt: number) => Promise<void>

/**
 * Creates an appender that combines concurrent appends to the same chain, so that they do not collide with each other.
 * Chains of different owners do not wait for each other. `link` returns the documents that follow `last` for a draft:
 * usually one. `onAppended` gets what has been stored.
 */
export function createAppender<Item extends Draft, Doc extends ChainLink>(
  collection: mongo.Collection<Doc>,
  link: (owner: ChainOwner, last: Doc | null, draft: Item) => Doc[],
  onAppended: OnStored = () => undefined,
): Appender<Item> {
  const open = new Map<string, { batcher: Batcher<readonly Item[], null>; callers: number }>()

  const appendTogether = (owner: ChainOwner, drafts: readonly Item[]): Promise<void> =>
    appendLinks(
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
        await collection.insertMany(links)
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
      backgroundRest,
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
