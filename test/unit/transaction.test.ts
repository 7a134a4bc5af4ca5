import { setTimeout as pause } from 'node:timers/promises'
import mongoose, { type Connection, type mongo } from 'mongoose'
import { openTransactions, type Transactions, transaction } from '../../src/mongo/transaction.ts'
import { newName, urlOf } from '../support/databases.ts'
import { deadlineMs } from '../support/machine.ts'
import { servers } from '../support/servers.ts'

type Count = { _id: string; n: number }
const appName = 'transaction test'

describe('A transaction', () => {
  let connection: Connection
  let counts: mongo.Collection<Count>
  let events: mongo.Collection
  let transactions: Transactions
  let others: Transactions

  before(async () => {
    const url = urlOf(servers.mongoUrl, newName())
    connection = await mongoose.createConnection(url, { appName }).asPromise()
    transactions = openTransactions(connection)
    others = openTransactions(connection)
    counts = connection.collection<Count>('counts')
    events = connection.collection('events')
    await connection.createCollection('events')
  })
  beforeEach(async () => {
    await counts.deleteMany({})
    await events.deleteMany({})
    await counts.insertOne({ _id: 'a', n: 0 })
  })
  afterEach(() => fail('off', {}))
  after(async () => {
    await connection.dropDatabase()
    await connection.close()
  })

  const admin = () => connection.getClient().db('admin')
  const fail = (mode: 'off' | 'alwaysOn' | { times: number }, data: object) =>
    admin().command({ configureFailPoint: 'failCommand', mode, data: { appName, ...data } })
  const soon = (ms = 8000): number => performance.now() + deadlineMs(ms)
  let runs = 0
  const add = (at: Transactions, deadlineAt = soon(), documents = ['a']) =>
    transaction({ transactions: at }, { documents, deadlineAt }, async (session) => {
      runs += 1
      const { n = 0 } = (await counts.findOne({ _id: 'a' }, { session })) ?? {}
      await counts.updateOne({ _id: 'a' }, { $set: { n: n + 1 } }, { session })
      await events.insertOne({ n: n + 1 }, { session })
      return n + 1
    })
  const stored = async () => ({
    n: (await counts.findOne({ _id: 'a' }))?.n,
    noted: (await events.find().sort({ n: 1 }).toArray()).map(({ n }) => n),
  })
  const oneToTen = Array.from({ length: 10 }, (_, index) => index + 1)

  it("waits for this process's other transaction on the same document instead of being repeated", async () => {
    runs = 0
    expect(await Promise.all(oneToTen.map(() => add(transactions)))).to.deep.equal(oneToTen)
    expect(runs).to.equal(10)
    expect(await stored()).to.deep.equal({ n: 10, noted: oneToTen })
  })

  it('is retried after a conflict with another process, and no write is lost', async () => {
    const done = await Promise.all(oneToTen.map((each) => add(each % 2 === 0 ? transactions : others)))
    expect(done.toSorted((one, other) => one - other)).to.deep.equal(oneToTen)
    expect(await stored()).to.deep.equal({ n: 10, noted: oneToTen })
  })

  it('leaves nothing behind if its work fails', async () => {
    const failing = transaction({ transactions }, { documents: [], deadlineAt: soon() }, async (session) => {
      await counts.updateOne({ _id: 'a' }, { $set: { n: 7 } }, { session })
      throw new Error('no')
    })
    expect(await failing.catch(String)).to.equal('Error: no')
    expect(await stored()).to.deep.equal({ n: 0, noted: [] })
  })

  it('takes effect once even if its commit or the response to its commit is lost', async () => {
    const lost = { failCommands: ['commitTransaction'], closeConnection: true }
    // MongoDB commits, but reports that it does not know whether the commit lasts.
    const doubtful = {
      failCommands: ['commitTransaction'],
      writeConcernError: { code: 91, errmsg: 'ShutdownInProgress', errorLabels: ['RetryableWriteError'] },
    }
    for (const [index, data] of [lost, doubtful].entries()) {
      await fail({ times: 3 }, data)
      expect(await add(transactions)).to.equal(index + 1)
      expect((await stored()).noted).to.deep.equal(oneToTen.slice(0, index + 1))
    }
  })

  it("fails at the deadline if its commit's outcome is unknown", async () => {
    await fail('alwaysOn', { failCommands: ['commitTransaction'], closeConnection: true })
    const failed = await add(transactions, soon(500)).catch((error: unknown) => error)
    expect(failed).to.include({ code: 'SERVICE_UNAVAILABLE' })
  })

  it('fails at the deadline if another process keeps its document locked', async () => {
    const session = connection.getClient().startSession()
    session.startTransaction()
    await counts.updateOne({ _id: 'a' }, { $set: { n: 9 } }, { session })
    // No longer on a slow machine, because MongoDB ends the other transaction after transactionLifetimeLimitSeconds.
    const failed = await add(transactions, performance.now() + 300).catch((error: unknown) => error)
    expect(failed).to.include({ code: 'SERVICE_UNAVAILABLE' })
    await session.abortTransaction()
    await session.endSession()
    expect(await stored()).to.deep.equal({ n: 0, noted: [] })
  })

  it("doesn't delay transactions on other documents", async () => {
    const gate = pause(deadlineMs(200))
    const slow = transaction({ transactions }, { documents: ['b', 'c'], deadlineAt: soon() }, () => gate)
    expect(await add(transactions)).to.equal(1)
    const waits = add(transactions, soon(), ['a', 'c'])
    expect(await Promise.race([waits, gate.then(() => 'it has ended')])).to.equal('it has ended')
    await slow
    expect(await waits).to.equal(2)
  })
})
