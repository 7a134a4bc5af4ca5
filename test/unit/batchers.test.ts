import { expect } from 'chai'
import { mongo } from 'mongoose'
import { createBatcher } from '../../src/mongo/batching/batcher.ts'
import { createInsertBatcher } from '../../src/mongo/batching/insert-batcher.ts'
import { createReadBatcher } from '../../src/mongo/batching/read-batcher.ts'
import { withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

/** Longer than a few turns of the event loop; the last one outlives its test. */
const longRestMs = 500

const later = () => performance.now() + 60_000

/** A batcher whose trips are let go by hand. */
function openBatcher(longestBatch: number, restMs = 0) {
  const trips: { items: string[]; end(outcomes: (string | Error)[]): void; fail(error: Error): void }[] = []
  const batcher = createBatcher<string, string>(
    longestBatch,
    (items) => new Promise((resolve, reject) => trips.push({ items, end: resolve, fail: reject })),
    restMs,
  )
  const turn = () => new Promise(setImmediate)
  return { batcher, trips, turn }
}

const outcome = (promise: Promise<unknown>) => promise.catch((error: Error) => error)

describe('A batcher of writes', () => {
  it('sends one batch at a time, and adds later calls to the next batch in order', async () => {
    const { batcher, trips, turn } = openBatcher(10)
    const first = batcher('a', later())
    await turn()
    const others = ['b', 'c', 'd'].map((item) => batcher(item, later()))
    await turn()
    expect(trips.map(({ items }) => items)).to.deep.equal([['a']])
    trips[0]?.end(['A'])
    expect(await first).to.equal('A')
    await turn()
    expect(trips[1]?.items).to.deep.equal(['b', 'c', 'd'])
    trips[1]?.end(['B', 'C', 'D'])
    expect(await Promise.all(others)).to.deep.equal(['B', 'C', 'D'])

    const lone = batcher('e', later())
    await turn()
    trips[2]?.end(['E'])
    expect(await lone).to.equal('E')
  })

  it('that pauses sends a single call at once, and later calls together after the pause', async () => {
    const restMs = 50
    const { batcher, trips, turn } = openBatcher(10, restMs)
    const startedAt = performance.now()
    const first = batcher('a', later())
    await turn()
    trips[0]?.end(['A'])
    expect(await first).to.equal('A')
    const second = batcher('b', later())
    await turn()
    const third = batcher('c', later())
    await waitFor('a second trip', () => trips.length === 2)
    // A timer may fire a millisecond early.
    expect(performance.now() - startedAt).to.be.at.least(restMs - 2)
    expect(trips[1]?.items).to.deep.equal(['b', 'c'])
    trips[1]?.end(['B', 'C'])
    expect(await Promise.all([second, third])).to.deep.equal(['B', 'C'])
  })

  it('that pauses sends the next batch as soon as 50 calls wait', async () => {
    const { batcher, trips, turn } = openBatcher(100, longRestMs)
    const first = batcher('a', later())
    await turn()
    trips[0]?.end(['A'])
    await first
    const items = Array.from({ length: 50 }, (_, index) => `${index}`)
    const most = items.slice(1).map((item) => batcher(item, later()))
    await turn()
    expect(trips).to.have.length(1)
    const last = batcher('0', later())
    await turn()
    await turn()
    trips[1]?.end(trips[1].items)
    expect(await Promise.all([last, ...most])).to.deep.equal(items)
  })

  it('that pauses does not pause while 50 calls are left over, but does with fewer', async () => {
    const { batcher, trips, turn } = openBatcher(60, longRestMs)
    const items = Array.from({ length: 115 }, (_, index) => `${index}`)
    const all = items.map((item) => batcher(item, later()))
    for (const trip of [0, 1]) {
      await turn()
      trips[trip]?.end(trips[trip]?.items ?? [])
      await turn()
    }
    expect(await Promise.all(all)).to.deep.equal(items)
    const late = batcher('late', later())
    await turn()
    expect(trips.map(({ items: sent }) => sent.length)).to.deep.equal([60, 55])
    await waitFor('the rest is over', () => trips.length === 3)
    trips[2]?.end(['late'])
    expect(await late).to.equal('late')
  })

  it('limits the size of a batch', async () => {
    const { batcher, trips, turn } = openBatcher(3)
    const all = Array.from('abcdefgh', (item) => batcher(item, later()))
    for (let trip = 0; trip < 3; trip += 1) {
      await turn()
      trips[trip]?.end(trips[trip]?.items ?? [])
      await turn()
    }
    expect(await Promise.all(all)).to.deep.equal(Array.from('abcdefgh'))
    expect(trips.map(({ items }) => items.length)).to.deep.equal([3, 3, 2])
  })

  it('gives each caller its own outcome, and an error to one caller only', async () => {
    const { batcher, trips, turn } = openBatcher(10)
    const all = ['a', 'b', 'c'].map((item) => outcome(batcher(item, later())))
    await turn()
    trips[0]?.end(['A', new Error('b is wrong'), 'C'])
    const [a, b, c] = await Promise.all(all)
    expect([a, c]).to.deep.equal(['A', 'C'])
    expect(b).to.be.an('error').with.property('message', 'b is wrong')
  })

  it('fails all calls of a failed batch, and continues', async () => {
    const { batcher, trips, turn } = openBatcher(10)
    const all = ['a', 'b'].map((item) => outcome(batcher(item, later())))
    await turn()
    const waiting = batcher('c', later())
    trips[0]?.fail(new Error('connection lost'))
    for (const error of await Promise.all(all)) expect(error).to.have.property('message', 'connection lost')
    await turn()
    expect(trips[1]?.items).to.deep.equal(['c'])
    trips[1]?.end(['C'])
    expect(await waiting).to.equal('C')
  })

  it('drops a call that is past its deadline unsent, with 503 SERVICE_UNAVAILABLE', async () => {
    const { batcher, trips, turn } = openBatcher(10)
    const first = batcher('a', later())
    await turn()
    const late = outcome(batcher('b', performance.now() - 1))
    const inTime = batcher('c', later())
    trips[0]?.end(['A'])
    await first
    expect(await late).to.include({ code: 'SERVICE_UNAVAILABLE', statusCode: 503 })
    expect(trips[1]?.items).to.deep.equal(['c'])
    trips[1]?.end(['C'])
    expect(await inTime).to.equal('C')
    expect(await outcome(batcher('d', performance.now() - 1))).to.include({ code: 'SERVICE_UNAVAILABLE' })
    expect(trips).to.have.lengthOf(2)
  })
})

describe('A batcher of inserts', () => {
  const service = withService()

  interface Thing {
    _id: string
    [field: string]: unknown
  }

  async function openThings() {
    const things = service.deps.mongo.collection<Thing>(`things${Math.random()}`)
    await things.createIndex({ code: 1 }, { name: 'theCode', unique: true, sparse: true })
    const insertMany = (docs: Thing[]) => things.insertMany(docs, { ordered: false })
    return { things, insert: createInsertBatcher<Thing>(insertMany, 500) }
  }
  const inserted = { inserted: true }

  it('gives each caller its own outcome, with the name of the index that refused it', async () => {
    const { things, insert } = await openThings()
    await insert({ _id: 'old', code: '000001' }, later())
    const outcomes = await Promise.all(
      [
        { _id: 'a', code: '000002' },
        { _id: 'b', code: '000001' },
        { _id: 'old', code: '000003' },
        { _id: 'c', code: '000002' },
        { _id: 'd' },
      ].map((thing) => insert(thing, later())),
    )
    expect(outcomes).to.deep.equal([
      inserted,
      { inserted: false, index: 'theCode' },
      { inserted: false, index: '_id_' },
      { inserted: false, index: 'theCode' },
      inserted,
    ])
    expect(await things.countDocuments()).to.equal(3)
  })

  it('fails only the document that cannot be encoded', async () => {
    const { things, insert } = await openThings()
    const all = [{ _id: 'a' }, { _id: 'b', 'nul\0': 1 }, { _id: 'c' }].map((thing) =>
      outcome(insert(thing, later())),
    )
    const [a, b, c] = await Promise.all(all)
    expect([a, c]).to.deep.equal([inserted, inserted])
    expect(b).to.be.an('error')
    expect((await things.find().toArray()).map(({ _id }) => _id)).to.have.members(['a', 'c'])
  })

  it('never quotes a stored value in an error', async () => {
    const { things, insert } = await openThings()
    await things.createIndex({ list: 1, other: 1 })
    const refused = await outcome(insert({ _id: 'a', list: ['424242'], other: ['1'] }, later()))
    expect(refused).to.be.an('error')
    expect((refused as Error).message).not.to.include('424242')
  })

  it('treats the whole batch as unknown if the write concern failed, including duplicates', async () => {
    const result = { getWriteConcernError: () => ({ code: 64 }) } as never
    const told = { message: 'write concern', code: 64, writeErrors: [] }
    const insertMany = () => Promise.reject(new mongo.MongoBulkWriteError(told, result))
    const insert = createInsertBatcher<Thing>(insertMany, 500)
    const outcomes = await Promise.all(['a', 'b'].map((_id) => outcome(insert({ _id }, later()))))
    for (const each of outcomes) expect(each).to.be.instanceOf(mongo.MongoBulkWriteError)
  })
})

describe('A batcher of reads', () => {
  it('reads once for all waiting callers, by any of their ids, and caches nothing', async () => {
    const asked: string[][] = []
    const read = createReadBatcher<{ ids: string[]; seen: number }>(
      (ids) => {
        asked.push(ids)
        return Promise.resolve([{ ids: ['a', 'b'], seen: asked.length }])
      },
      (doc) => doc.ids,
    )
    const found = await Promise.all(['a', 'b', 'a', 'nothing'].map((id) => read(id, later())))
    expect(found.map((doc) => doc?.seen ?? null)).to.deep.equal([1, 1, 1, null])
    expect(asked).to.deep.equal([['a', 'b', 'nothing']])
    expect(await read('a', later())).to.have.property('seen', 2)
  })
})
