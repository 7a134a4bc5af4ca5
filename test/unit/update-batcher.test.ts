import { expect } from 'chai'
import { mongo } from 'mongoose'
import { createUpdateBatcher, type GuardedUpdate } from '../../src/mongo/batching/update-batcher.ts'
import { withService } from '../support/service.ts'

const later = () => performance.now() + 60_000
const outcome = (promise: Promise<unknown>) => promise.catch((error: Error) => error)

interface Seat {
  _id: string
  guest: string | null
}

describe('A batcher of updates', () => {
  const service = withService()

  async function openSeats(...ids: string[]) {
    const seats = service.deps.mongo.collection<Seat>(`seats${Math.random()}`)
    await seats.insertMany(ids.map((_id) => ({ _id, guest: null })))
    const sent: number[] = []
    const bulkWrite: typeof seats.bulkWrite = (operations, options) => {
      sent.push(operations.length)
      return seats.bulkWrite(operations, options)
    }
    const find = (filter: object, options?: mongo.FindOptions) => {
      expect(options?.projection).to.deep.equal({ _id: 1 })
      return seats.find(filter, options)
    }
    const watched = { bulkWrite, find } as unknown as typeof seats
    const guests = async () => (await seats.find().toArray()).map(({ _id, guest }) => `${_id} ${guest}`)
    return { batcher: createUpdateBatcher<Seat>(watched), sent, guests }
  }

  /** A guest takes a free seat. */
  const take = (_id: string, guest: string): GuardedUpdate => ({
    filter: { _id, guest: null },
    update: { $set: { guest } },
    proof: { guest },
  })

  it('writes waiting updates together, and returns to each whether its guard matched', async () => {
    const { batcher, sent, guests } = await openSeats('a', 'b', 'c')
    expect(await batcher(take('b', 'Ali'), later())).to.equal(true)
    const updates = [take('a', 'Mariem'), take('b', 'Sidi'), take('c', 'Sidi'), take('nowhere', 'Sidi')]
    const outcomes = await Promise.all(updates.map((update) => batcher(update, later())))
    expect(outcomes).to.deep.equal([true, false, true, false])
    expect(sent).to.deep.equal([1, 4])
    expect(await guests()).to.deep.equal(['a Mariem', 'b Ali', 'c Sidi'])
  })

  it('lets one of several updates of the same document succeed, once in a batch', async () => {
    const { batcher, sent, guests } = await openSeats('a', 'b')
    const outcomes = await Promise.all(
      [take('a', 'Ali'), take('a', 'Sidi'), take('b', 'Ali'), take('a', 'Mariem')].map((update) =>
        batcher(update, later()),
      ),
    )
    expect(outcomes).to.deep.equal([true, false, true, false])
    expect(sent).to.deep.equal([2, 1, 1])
    expect(await guests()).to.deep.equal(['a Ali', 'b Ali'])
  })

  it('fails only an update that cannot be encoded or that MongoDB refuses, without a stored value in the error', async () => {
    const { batcher, guests } = await openSeats('a', 'b', 'c')
    const unsound = { ...take('b', 'Sidi'), update: { $set: { 'nul\0': 1 } } }
    const refused = { ...take('c', 'Sidi'), update: { $inc: { guest: 1 } }, filter: { _id: 'c' } }
    await batcher(take('c', 'secret'), later())
    const [a, b, c] = await Promise.all(
      [take('a', 'Ali'), unsound, refused].map((update) => outcome(batcher(update, later()))),
    )
    expect(a).to.equal(true)
    expect(b).to.be.an('error')
    expect(c).to.be.an('error').with.property('message').that.does.not.include('secret')
    expect(await guests()).to.deep.equal(['a Ali', 'b null', 'c secret'])
  })

  it('treats the whole batch as unknown if the connection or the write concern failed', async () => {
    const result = { getWriteConcernError: () => ({ code: 64 }) } as never
    const one = { index: 0, code: 11000, errmsg: 'duplicate' }
    const faults = [
      new mongo.MongoNetworkError('connection lost'),
      new mongo.MongoBulkWriteError(
        { message: 'write concern', code: 64, writeErrors: [one] as never },
        result,
      ),
    ]
    for (const fault of faults) {
      let sends = 0
      const bulkWrite = () => (sends++, Promise.reject(fault))
      const batcher = createUpdateBatcher<Seat>({ bulkWrite } as never)
      const outcomes = await Promise.all(['a', 'b'].map((id) => outcome(batcher(take(id, 'Ali'), later()))))
      expect(outcomes).to.deep.equal([fault, fault])
      expect(sends).to.equal(1)
    }
  })
})
