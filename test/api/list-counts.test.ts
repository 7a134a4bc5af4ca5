import { type ApiScope, apiScopes } from '../../schemas/scopes.ts'
import type { Caller } from '../../src/businesses/caller.ts'
import { listEvents } from '../../src/events/list.ts'
import { anyTimeSpan, type TimeSpan } from '../../src/input/span.ts'
import { listIntents } from '../../src/intents/list.ts'
import { createListCounts, deleteCheckpoints } from '../../src/lists/counts.ts'
import type { Page, PageRequest } from '../../src/lists/pagination.ts'
import type { Deps } from '../../src/platform/deps.ts'
import { newId, newReferenceNumber } from '../../src/platform/ids.ts'
import { excuse } from '../invariants/expect-invariants.ts'
import { withService } from '../support/service.ts'

const [minute, hour] = [60_000, 3_600_000]
/** Newest first: within five minutes, within an hour, identical to the millisecond, and up to ten days old. */
const ages = [
  ...[0, 1, 2, 2, 3, 4].map((minutes) => minutes * minute),
  ...Array.from({ length: 20 }, (_none, index) => (6 + 2 * index) * minute),
  ...Array.from({ length: 14 }, () => 5 * hour),
  ...Array.from({ length: 30 }, (_none, index) => (8 + 8 * index) * hour),
]

type Made = { _id: string; createdAt: Date }

type Read = (deps: Deps, caller: Caller, search: TimeSpan & PageRequest) => Promise<Page<Made>>

type List = { read: Read; kind: 'Intent' | 'LoggedEvent'; own(): object }

let logged = 0
const lists: Record<'intents' | 'live events', List> = {
  intents: {
    read(deps, caller, search) {
      const all = { ...search, status: null, merchantReference: null, range: null }
      return listIntents(deps, caller, all, deps.now())
    },
    kind: 'Intent',
    own: () => ({ referenceNumber: newReferenceNumber(), shortCode: newId(), status: 'PAID' }),
  },
  'live events': {
    read: (deps, caller, search) =>
      listEvents(deps, caller, { ...search, type: null, referenceNumber: null }),
    kind: 'LoggedEvent',
    own() {
      logged += 1
      return { event: 'payment.created', number: logged }
    },
  },
}

describe('The total of a long list', () => {
  const service = withService()
  let elapsedMs = 0
  before(() => {
    // These documents have only the fields that a list needs.
    excuse([service.deps.mongo.name])
    service.clock.freeze(new Date())
  })

  const withCheckpoints = (itemsPerCheckpoint: number, maxCheckpoints = 1_000): Deps => ({
    ...service.deps,
    listCounts: createListCounts(service.deps.ListCheckpoints, () => elapsedMs, {
      itemsPerCheckpoint,
      maxCheckpoints,
    }),
  })
  async function callerOf(): Promise<Caller> {
    const { businessId } = await service.merchant({ mode: 'live' })
    return { businessId, sandbox: false, scopes: new Set<ApiScope>(apiScopes) } as unknown as Caller
  }
  const ago = (age: number) => new Date(service.clock.now().getTime() - age)
  const newestFirst = (some: Made[]) =>
    some.toSorted(
      (one, other) => other.createdAt.getTime() - one.createdAt.getTime() || (one._id < other._id ? 1 : -1),
    )

  const collectionOf = ({ kind }: List) => service.deps[kind].collection
  async function insert(list: List, { businessId, sandbox }: Caller, some: number[]): Promise<Made[]> {
    const made = some.map((age) => {
      return { _id: newId(), businessId, sandbox, createdAt: ago(age), ...list.own() }
    })
    await collectionOf(list).insertMany(made as never[])
    return made
  }
  const totalOf = async ({ read }: List, deps: Deps, caller: Caller) =>
    (await read(deps, caller, { ...anyTimeSpan, page: 1, limit: 1 })).total

  for (const [name, list] of Object.entries(lists))
    describe(`of ${name}`, () => {
      let caller: Caller
      let all: Made[]
      beforeEach(async () => {
        caller = await callerOf()
        all = newestFirst(await insert(list, caller, ages))
      })

      const idsOf = (documents: Made[]) => documents.map(({ _id }) => _id)
      async function expectPages(deps: Deps, span: TimeSpan, wanted: Made[]): Promise<void> {
        const limit = 40
        for (let page = 1; page <= Math.floor(wanted.length / limit) + 2; page += 1) {
          const { items, total, hasMore } = await list.read(deps, caller, { ...span, page, limit })
          const { from, to } = span
          const about = `${from?.toISOString()} to ${to?.toISOString()}, page ${page}`
          expect(idsOf(items), about).to.deep.equal(idsOf(wanted.slice((page - 1) * limit, page * limit)))
          const expected = { total: wanted.length, hasMore: wanted.length > page * limit }
          expect({ total, hasMore }, about).to.deep.equal(expected)
        }
      }

      for (const itemsPerCheckpoint of [1, 5])
        it(`is exact for any time range (items between checkpoints: ${itemsPerCheckpoint})`, async () => {
          const deps = withCheckpoints(itemsPerCheckpoint)
          await expectPages(deps, anyTimeSpan, all)
          const instants = [
            null,
            ...(itemsPerCheckpoint === 5 ? [3, 26, 45] : [26]).map((index) => all[index]?.createdAt ?? null),
          ]
          for (const from of instants)
            for (const to of instants) {
              if (from !== null && to !== null && from > to) continue
              const isInside = ({ createdAt: at }: Made) => at >= (from ?? 0) && at <= (to ?? ago(0))
              await expectPages(deps, { from, to }, all.filter(isInside))
            }
        })

      it('includes new documents immediately, even those inserted late', async () => {
        const deps = withCheckpoints(5)
        await expectPages(deps, anyTimeSpan, all)
        all = newestFirst([...all, ...(await insert(list, caller, [0, 0, minute]))])
        await expectPages(deps, anyTimeSpan, all)
        const late = await insert(list, caller, [6 * minute, 30 * minute, 30 * minute, 59 * minute])
        elapsedMs += minute + 1
        await expectPages(deps, anyTimeSpan, newestFirst([...all, ...late]))
      })

      it('counts documents older than an hour only once, and stores that count', async () => {
        const deps = withCheckpoints(5)
        expect(await totalOf(list, deps, caller)).to.equal(all.length)
        // Deletes one that the service never would, to show that it isn't counted again.
        await collectionOf(list).deleteOne({ _id: all.at(-1)?._id } as object)
        elapsedMs += 2 * minute
        expect(await totalOf(list, deps, caller)).to.equal(all.length)
        const restarted = withCheckpoints(5)
        expect(await totalOf(list, restarted, caller)).to.equal(all.length)
        const recent = await insert(list, caller, [0, 59 * minute])
        elapsedMs += 2 * minute
        expect(await totalOf(list, restarted, caller)).to.equal(all.length + recent.length)
        await service.deps.ListCheckpoints.deleteMany({})
        expect(await totalOf(list, withCheckpoints(5), caller)).to.equal(all.length + recent.length - 1)
      })
    })

  it('includes events logged hours late, e.g. after the workers were down', async () => {
    const [caller, deps, list] = [await callerOf(), withCheckpoints(5), lists['live events']]
    await insert(list, caller, ages)
    const { businessId } = caller
    const outbox = [{ id: newId(), createdAt: ago(9 * hour) }]
    const waiting = { _id: newId(), businessId, outbox, ...lists.intents.own() }
    await service.deps.Intent.collection.insertOne(waiting as never)
    expect(await totalOf(list, deps, caller)).to.equal(ages.length)
    await insert(list, caller, [9 * hour])
    await service.deps.Intent.deleteOne({ _id: waiting._id })
    elapsedMs += minute + 1
    expect(await totalOf(list, deps, caller)).to.equal(ages.length + 1)
  })

  it('is exact while the clean-up removes the oldest test intents', async () => {
    const [caller, deps, { intents }] = [{ ...(await callerOf()), sandbox: true }, withCheckpoints(5), lists]
    const days = Array.from({ length: 60 }, (_none, index) => index * 24 * hour)
    await insert(intents, caller, days)
    expect(await totalOf(intents, deps, caller)).to.equal(60)
    const createdAt = { $lt: ago(deps.config.sandboxRetentionMs) }
    const { businessId } = caller
    const { deletedCount } = await collectionOf(intents).deleteMany({ businessId, createdAt })
    expect(deletedCount).to.be.within(20, 40)
    expect(await totalOf(intents, deps, caller)).to.equal(60 - deletedCount)
    // A different setting has removed more, as the clean-up notes in the stored counts.
    const before = ago(5.5 * 24 * hour)
    await deleteCheckpoints(deps.ListCheckpoints, caller.businessId, before)
    await collectionOf(intents).deleteMany({ businessId: caller.businessId, createdAt: { $lt: before } })
    expect(await totalOf(intents, withCheckpoints(5), caller)).to.equal(6)
  })

  it('is cached for the most recently read lists', async () => {
    const { intents } = lists
    const [first, second, third] = [await callerOf(), await callerOf(), await callerOf()]
    for (const caller of [first, second, third]) await insert(intents, caller, ages)
    const deps = withCheckpoints(5, 25)
    const total = (caller: Caller) => totalOf(intents, deps, caller)
    for (const caller of [first, second, first, third]) expect(await total(caller)).to.equal(ages.length)
    await collectionOf(intents).deleteMany({ createdAt: ago(Math.max(...ages)) })
    expect(await total(first)).to.equal(ages.length)
    expect(await total(third)).to.equal(ages.length)
    await deps.ListCheckpoints.deleteMany({})
    expect(await total(second)).to.equal(ages.length - 1)
  })

  it('is exact again in the next request after a failed count', async () => {
    const { intents } = lists
    const caller = await callerOf()
    await insert(intents, caller, ages)
    const deps = withCheckpoints(5)
    let counts = 0
    const failing = new Proxy(service.deps.Intent.collection, {
      get(target, name) {
        if (name === 'countDocuments' && ++counts > 4) return () => Promise.reject(new Error('broken off'))
        const value = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const broken = { ...deps, Intent: { collection: failing, find: deps.Intent.find } as never }
    for (let round = 0; round < 2; round += 1) {
      expect(await totalOf(intents, broken, caller).catch(String)).to.equal('Error: broken off')
      expect(await totalOf(intents, deps, caller)).to.equal(ages.length)
      elapsedMs += minute + 1
    }
  })
})
