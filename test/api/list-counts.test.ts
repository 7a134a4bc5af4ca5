import { expect } from 'chai'
import type { Caller } from '../../src/businesses/caller.ts'
import type { Deps } from '../../src/deps.ts'
import type { Page, Slice } from '../../src/input/pagination.ts'
import { anyTime, type Span } from '../../src/input/span.ts'
import { listIntents } from '../../src/intents/list.ts'
import { createListCounts } from '../../src/lists/counts/counts.ts'
import { newId, newOrderNumber, newReferenceNumber } from '../../src/security/ids.ts'
import { listOrders } from '../../src/store/orders/list.ts'
import { listDeliveries } from '../../src/webhooks/deliveries/list.ts'
import { withService } from '../support/service.ts'
import { openLiveShop } from '../support/store.ts'

const [minute, hour] = [60_000, 3_600_000]
/** Of the newest first: within the last five minutes, in the last hour, of one millisecond, and up to ten days. */
const ages = [
  ...[0, 1, 2, 2, 3, 4].map((minutes) => minutes * minute),
  ...Array.from({ length: 20 }, (_none, place) => (6 + 2 * place) * minute),
  ...Array.from({ length: 14 }, () => 5 * hour),
  ...Array.from({ length: 30 }, (_none, place) => (8 + 8 * place) * hour),
]

interface Made {
  _id: string
  createdAt: Date
}

/** Each list that has tallies: how it is read, where it is stored, and what a document must have beside. */
const lists = {
  intents: {
    read: (deps: Deps, caller: Caller, search: Span & Slice): Promise<Page<Made>> =>
      listIntents(deps, caller, { ...search, status: null }, deps.now()),
    collection: ({ Intent }: Deps) => Intent.collection,
    own: () => ({ referenceNumber: newReferenceNumber(), shortCode: newId(), status: 'PAID' }),
  },
  orders: {
    read: (deps: Deps, caller: Caller, search: Span & Slice): Promise<Page<Made>> =>
      listOrders(deps, caller, search),
    collection: ({ Order }: Deps) => Order.collection,
    own: () => ({ number: newOrderNumber(), status: 'PLACED' }),
  },
  'live deliveries': {
    read: (deps: Deps, caller: Caller, search: Span & Slice): Promise<Page<Made>> =>
      listDeliveries(deps, caller, { ...search, status: null, event: null, endpointId: null }),
    collection: ({ Delivery }: Deps) => Delivery.collection,
    own: () => ({ status: 'DELIVERED' }),
  },
}

describe('The counts of long lists', () => {
  const service = withService()
  let elapsedMs = 0
  before(() => {
    service.clock.freeze(new Date())
  })

  const withTallies = (stride: number, maxCheckpoints = 1_000): Deps => ({
    ...service.deps,
    listCounts: createListCounts(() => elapsedMs, { stride, maxCheckpoints }),
  })
  async function callerOf(): Promise<Caller> {
    const merchant = await service.merchant({ mode: 'live' })
    await openLiveShop(service, merchant)
    return { businessId: merchant.businessId, sandbox: false } as Caller
  }
  const ago = (age: number) => new Date(service.clock.now().getTime() - age)
  const newestFirst = (some: Made[]) =>
    some.toSorted(
      (one, other) => other.createdAt.getTime() - one.createdAt.getTime() || (one._id < other._id ? 1 : -1),
    )

  for (const [name, { read, collection, own }] of Object.entries(lists)) {
    describe(`of ${name}`, () => {
      let caller: Caller
      let all: Made[]
      beforeEach(async () => {
        caller = await callerOf()
        all = newestFirst(await make(ages))
      })

      async function make(some: number[]): Promise<Made[]> {
        const { businessId, sandbox } = caller
        const made = some.map((age) => ({ _id: newId(), businessId, sandbox, createdAt: ago(age), ...own() }))
        await collection(service.deps).insertMany(made as never[])
        return made.map(({ _id, createdAt }) => ({ _id, createdAt }))
      }
      const remove = ({ _id }: Made) => collection(service.deps).deleteOne({ _id } as object)
      const totalOf = async (deps: Deps) =>
        (await read(deps, caller, { ...anyTime, page: 1, limit: 1 })).total

      async function expectPages(deps: Deps, span: Span, wanted: Made[]): Promise<void> {
        const limit = 12
        for (let page = 1; page <= Math.floor(wanted.length / limit) + 2; page += 1) {
          const { items, total, hasMore } = await read(deps, caller, { ...span, page, limit })
          const { from, to } = span
          const about = `${from?.toISOString()} to ${to?.toISOString()}, page ${page}`
          expect(items.map(({ _id }) => _id)).to.deep.equal(
            wanted.slice((page - 1) * limit, page * limit).map(({ _id }) => _id),
            about,
          )
          expect({ total, hasMore }).to.deep.equal(
            { total: wanted.length, hasMore: wanted.length > page * limit },
            about,
          )
        }
      }

      for (const stride of [1, 5])
        it(`are exact between any two instants, with checkpoints ${stride} apart`, async () => {
          const deps = withTallies(stride)
          await expectPages(deps, anyTime, all)
          const instants = [null, ...[3, 26, 45].map((place) => all[place]?.createdAt ?? null)]
          for (const from of instants)
            for (const to of instants)
              if (from === null || to === null || from <= to)
                await expectPages(
                  deps,
                  { from, to },
                  all.filter(({ createdAt }) => createdAt >= (from ?? 0) && createdAt <= (to ?? ago(0))),
                )
        })

      it('include a document that is inserted up to a minute late, on every page', async () => {
        const deps = withTallies(5)
        await expectPages(deps, anyTime, all)
        const late = await make([6 * minute, 30 * minute, 30 * minute, 59 * minute])
        elapsedMs += minute + 1
        await expectPages(deps, anyTime, newestFirst([...all, ...late]))
      })

      it('count documents older than an hour once', async () => {
        const deps = withTallies(5)
        expect(await totalOf(deps)).to.equal(all.length)
        // Nothing ever does: so it is seen that nobody looks there again.
        await remove(all.at(-1) as Made)
        elapsedMs += 2 * minute
        expect(await totalOf(deps)).to.equal(all.length)
        expect(await totalOf(withTallies(5))).to.equal(all.length - 1)
      })
    })
  }

  it('keep the lists that were read last', async () => {
    const { read, collection, own } = lists.intents
    const [first, second, third] = [await callerOf(), await callerOf(), await callerOf()]
    const documents = [first, second, third].flatMap(({ businessId, sandbox }) =>
      ages.map((age) => ({ _id: newId(), businessId, sandbox, createdAt: ago(age), ...own() })),
    )
    await collection(service.deps).insertMany(documents as never[])
    const deps = withTallies(5, 25)
    const total = async (caller: Caller) =>
      (await read(deps, caller, { ...anyTime, page: 1, limit: 1 })).total
    for (const caller of [first, second, first, third]) expect(await total(caller)).to.equal(ages.length)
    await collection(service.deps).deleteMany({ createdAt: ago(Math.max(...ages)) })
    expect(await total(first)).to.equal(ages.length)
    expect(await total(third)).to.equal(ages.length)
    expect(await total(second)).to.equal(ages.length - 1)
  })

  it('fail for the request that counts, and resume with the next one', async () => {
    const { read, collection, own } = lists.intents
    const caller = await callerOf()
    const { businessId, sandbox } = caller
    const documents = ages.map((age) => ({
      _id: newId(),
      businessId,
      sandbox,
      createdAt: ago(age),
      ...own(),
    }))
    await collection(service.deps).insertMany(documents as never[])
    const deps = withTallies(5)
    const list = () => read(deps, caller, { ...anyTime, page: 1, limit: 1 })
    let counts = 0
    const failing = new Proxy(service.deps.Intent.collection, {
      get(target, name) {
        if (name === 'countDocuments' && ++counts > 4) return () => Promise.reject(new Error('broken off'))
        const value = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const broken = { ...deps, Intent: { collection: failing, find: deps.Intent.find } as never }
    const failed = await read(broken, caller, { ...anyTime, page: 1, limit: 1 }).catch(String)
    expect(failed).to.equal('Error: broken off')
    expect((await list()).total).to.equal(ages.length)
    elapsedMs += minute + 1
    const again = await read(broken, caller, { ...anyTime, page: 1, limit: 1 }).catch(String)
    expect(again).to.equal('Error: broken off')
    expect((await list()).total).to.equal(ages.length)
  })
})
