import { mock } from 'node:test'
import { mongo } from 'mongoose'
import * as batchers from '../../src/mongo/batchers.ts'
import { excuse } from '../invariants/expect-invariants.ts'
import { withService } from '../support/service.ts'

const restMs = 500
const later = () => performance.now() + 60_000

function openBatcher(longestBatch: number, restAfter = (_calls: number) => 0) {
  const batches: { items: string[]; end(outcomes: (string | Error)[]): void; fail(error: Error): void }[] = []
  const batcher = batchers.createBatcher<string, string>(
    longestBatch,
    (items) => new Promise((resolve, reject) => batches.push({ items, end: resolve, fail: reject })),
    restAfter,
  )
  return {
    batches,
    call: (item: string, deadlineAt = later()) => batcher(item, deadlineAt),
    async finish(index: number) {
      await nextLoop()
      batches[index]?.end(batches[index].items.map((item) => item.toUpperCase()))
      await nextLoop()
    },
    sizes: () => batches.map(({ items }) => items.length),
  }
}

const nextLoop = () => new Promise(setImmediate)
const numbers = (count: number) => Array.from({ length: count }, (_, index) => `${index}`)
const outcome = (promise: Promise<unknown>) => promise.catch((error: Error) => error)
const callAll = <Item>(batcher: batchers.Batcher<Item, unknown>, items: Item[]) =>
  Promise.all(items.map((item) => outcome(batcher(item, later()))))

describe('A write batcher', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
  afterEach(() => mock.timers.reset())

  it('sends one batch at a time and collects calls that arrive in the meantime, in order, for the next batch', async () => {
    const { batches, call, finish } = openBatcher(10)
    const first = call('a')
    await nextLoop()
    const others = ['b', 'c', 'd'].map((item) => call(item))
    await nextLoop()
    expect(batches.map(({ items }) => items)).to.deep.equal([['a']])
    await finish(0)
    expect(await first).to.equal('A')
    expect(batches[1]?.items).to.deep.equal(['b', 'c', 'd'])
    await finish(1)
    expect(await Promise.all(others)).to.deep.equal(['B', 'C', 'D'])
    const lone = call('e')
    await finish(2)
    expect(await lone).to.equal('E')
  })

  it('sends a single call at once, and later calls together after a pause that grows with their number', async () => {
    const { batches, call, finish } = openBatcher(10, (calls) => calls * restMs)
    const first = call('a')
    await finish(0)
    expect(await first).to.equal('A')
    const inPause = async (pauseMs: number, items: string[]) => {
      const calls = Promise.all(items.map((item) => call(item)))
      mock.timers.tick(pauseMs - 1)
      await nextLoop()
      const before = batches.length
      mock.timers.tick(1)
      await nextLoop()
      expect(batches.slice(before).map((batch) => batch.items)).to.deep.equal([items])
      await finish(before)
      expect(await calls).to.deep.equal(items.map((item) => item.toUpperCase()))
    }
    await inPause(restMs, ['b', 'c'])
    await inPause(2 * restMs, ['d'])
    await inPause(restMs, ['e'])
  })

  it('pauses even if some calls did not fit into the last batch', async () => {
    const { call, finish, sizes } = openBatcher(60, () => restMs)
    const all = numbers(115).map((item) => call(item))
    await finish(0)
    await nextLoop()
    expect(sizes()).to.deep.equal([60])
    mock.timers.tick(restMs)
    await finish(1)
    expect(sizes()).to.deep.equal([60, 55])
    expect(await Promise.all(all)).to.deep.equal(numbers(115))
  })

  it('rejects all calls of a failed batch and continues with the next batch', async () => {
    const { batches, call, finish } = openBatcher(10)
    const all = ['a', 'b'].map((item) => outcome(call(item)))
    await nextLoop()
    const waiting = call('c')
    batches[0]?.fail(new Error('connection lost'))
    for (const error of await Promise.all(all)) expect(error).to.have.property('message', 'connection lost')
    await nextLoop()
    expect(batches[1]?.items).to.deep.equal(['c'])
    await finish(1)
    expect(await waiting).to.equal('C')
  })

  it('rejects a call with 503 SERVICE_UNAVAILABLE, without sending it, if its deadline has passed', async () => {
    const { batches, call, finish } = openBatcher(10)
    const first = call('a')
    await nextLoop()
    const late = outcome(call('b', performance.now() - 1))
    const inTime = call('c')
    await finish(0)
    await first
    expect(await late).to.include({ code: 'SERVICE_UNAVAILABLE', statusCode: 503 })
    expect(batches[1]?.items).to.deep.equal(['c'])
    await finish(1)
    expect(await inTime).to.equal('C')
    expect(await outcome(call('d', performance.now() - 1))).to.include({ code: 'SERVICE_UNAVAILABLE' })
    expect(batches).to.have.lengthOf(2)
  })
})

type Seat = { _id: string; guest: string | null }

describe('A write batcher on MongoDB', () => {
  const service = withService()
  const writeConcernFault = (writeErrors: object[]) => {
    const result = { getWriteConcernError: () => ({ code: 64 }) } as never
    const reported = { message: 'write concern', code: 64, writeErrors: writeErrors as never }
    return new mongo.MongoBulkWriteError(reported, result)
  }

  describe('for inserts', () => {
    type Thing = { _id: string; [field: string]: unknown }

    async function openThings() {
      const things = service.deps.mongo.collection<Thing>(`things${Math.random()}`)
      excuse([things.collectionName])
      await things.createIndex({ code: 1 }, { name: 'theCode', unique: true, sparse: true })
      const insertMany = (docs: Thing[]) => things.insertMany(docs, { ordered: false })
      return { things, insert: batchers.createInsertBatcher<Thing>(insertMany) }
    }
    const inserted = { inserted: true }

    it('reports to each caller whether its document was inserted or which index rejected it', async () => {
      const { things, insert } = await openThings()
      await insert({ _id: 'old', code: '000001' }, later())
      const refusedBy = (index: string) => ({ inserted: false, index })
      const cases: [thing: Thing, outcome: object][] = [
        [{ _id: 'a', code: '000002' }, inserted],
        [{ _id: 'b', code: '000001' }, refusedBy('theCode')],
        [{ _id: 'old', code: '000003' }, refusedBy('_id_')],
        [{ _id: 'c', code: '000002' }, refusedBy('theCode')],
        [{ _id: 'd' }, inserted],
      ]
      const inserts = cases.map(([thing]) => thing)
      expect(await callAll(insert, inserts)).to.deep.equal(cases.map(([, expected]) => expected))
      expect(await things.countDocuments()).to.equal(3)
    })

    it("rejects only the call whose document can't be encoded", async () => {
      const { things, insert } = await openThings()
      const [a, b, c] = await callAll(insert, [{ _id: 'a' }, { _id: 'b', 'nul\0': 1 }, { _id: 'c' }])
      expect([a, c]).to.deep.equal([inserted, inserted])
      expect(b).to.be.an('error')
      expect((await things.find().toArray()).map(({ _id }) => _id)).to.have.members(['a', 'c'])
    })

    it("never quotes a document's value in an error", async () => {
      const { things, insert } = await openThings()
      await things.createIndex({ list: 1, other: 1 })
      const refused = await outcome(insert({ _id: 'a', list: ['424242'], other: ['1'] }, later()))
      expect(refused).to.be.an('error')
      expect((refused as Error).message).not.to.include('424242')
    })

    it('treats the outcome of the whole batch as unknown if the write concern failed, even for duplicates', async () => {
      const fault = writeConcernFault([{ index: 0, code: 11000, errmsg: 'duplicate' }])
      const insert = batchers.createInsertBatcher<Thing>(() => Promise.reject(fault))
      expect(await callAll(insert, [{ _id: 'a' }, { _id: 'b' }])).to.deep.equal([fault, fault])
    })
  })

  describe('for updates', () => {
    async function openSeats(...ids: string[]) {
      const seats = service.deps.mongo.collection<Seat>(`seats${Math.random()}`)
      excuse([seats.collectionName])
      await seats.insertMany(ids.map((_id) => ({ _id, guest: null })))
      const sent: number[] = []
      const bulkWrite: typeof seats.bulkWrite = (operations, options) => {
        sent.push(operations.length)
        return seats.bulkWrite(operations, options)
      }
      const watched = { bulkWrite, find: seats.find.bind(seats) } as unknown as typeof seats
      const guests = async () => (await seats.find().toArray()).map(({ _id, guest }) => `${_id} ${guest}`)
      return { batcher: batchers.createUpdateBatcher<Seat>(watched), sent, guests }
    }

    const take = (_id: string, guest: string): batchers.GuardedUpdate => ({
      filter: { _id, guest: null },
      update: { $set: { guest } },
      proof: { guest },
    })

    it('writes waiting updates together and reports to each caller whether its guard matched', async () => {
      const { batcher, sent, guests } = await openSeats('a', 'b', 'c')
      expect(await batcher(take('b', 'Ali'), later())).to.equal(true)
      const updates = [take('a', 'Mariem'), take('b', 'Sidi'), take('c', 'Sidi'), take('nowhere', 'Sidi')]
      expect(await callAll(batcher, updates)).to.deep.equal([true, false, true, false])
      expect(sent).to.deep.equal([1, 4])
      expect(await guests()).to.deep.equal(['a Mariem', 'b Ali', 'c Sidi'])
    })

    it('sends at most one update per document in each batch, so only the first with a given guard succeeds', async () => {
      const { batcher, sent, guests } = await openSeats('a', 'b')
      const updates = [take('a', 'Ali'), take('a', 'Sidi'), take('b', 'Ali'), take('a', 'Mariem')]
      expect(await callAll(batcher, updates)).to.deep.equal([true, false, true, false])
      expect(sent).to.deep.equal([2, 1, 1])
      expect(await guests()).to.deep.equal(['a Ali', 'b Ali'])
    })

    it("rejects only updates that can't be encoded or that MongoDB rejects", async () => {
      const { batcher, guests } = await openSeats('a', 'b', 'c')
      const unsound = { ...take('b', 'Sidi'), update: { $set: { 'nul\0': 1 } } }
      const refused = { ...take('c', 'Sidi'), update: { $inc: { guest: 1 } }, filter: { _id: 'c' } }
      await batcher(take('c', 'secret'), later())
      const [a, b, c] = await callAll(batcher, [take('a', 'Ali'), unsound, refused])
      expect(a).to.equal(true)
      expect(b).to.be.an('error')
      expect(c).to.be.an('error').with.property('message').that.does.not.include('secret')
      expect(await guests()).to.deep.equal(['a Ali', 'b null', 'c secret'])
    })

    it('treats the outcome of the whole batch as unknown if the connection or the write concern failed', async () => {
      const duplicate = { index: 0, code: 11000, errmsg: 'duplicate' }
      for (const fault of [new mongo.MongoNetworkError('connection lost'), writeConcernFault([duplicate])]) {
        let sends = 0
        const bulkWrite = () => (sends++, Promise.reject(fault))
        const batcher = batchers.createUpdateBatcher<Seat>({ bulkWrite } as never)
        const updates = ['a', 'b'].map((id) => take(id, 'Ali'))
        expect(await callAll(batcher, updates)).to.deep.equal([fault, fault])
        expect(sends).to.equal(1)
      }
    })
  })
})

describe('A read batcher', () => {
  it('reads once for all waiting callers and finds documents by any of their ids', async () => {
    const requested: string[][] = []
    const read = batchers.createReadBatcher<{ ids: string[]; seen: number }>(
      (ids) => {
        requested.push(ids)
        return Promise.resolve([{ ids: ['a', 'b'], seen: requested.length }])
      },
      (doc) => doc.ids,
    )
    const found = await Promise.all(['a', 'b', 'a', 'nothing'].map((id) => read(id, later())))
    expect(found.map((doc) => doc?.seen ?? null)).to.deep.equal([1, 1, 1, null])
    expect(requested).to.deep.equal([['a', 'b', 'nothing']])
    expect(await read('a', later())).to.have.property('seen', 2)
  })
})
