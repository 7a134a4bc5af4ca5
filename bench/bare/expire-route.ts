// What a storm of expiries is measured against: a loop of guarded findOneAndUpdate, so many at a time, the same promises of MongoDB, nothing else.
import express from 'express'
import { mongo } from 'mongoose'

interface Bill {
  _id: string
  status: 'PENDING' | 'CANCELLED'
}

const client = await mongo.MongoClient.connect(process.env.MONGODB_URL ?? '', {
  writeConcern: { w: 'majority', journal: true },
})
const bills = client.db().collection<Bill>('bare')
const atATime = Number(process.env.AT_A_TIME)

const app = express()
/** Cancels all that there are. Answers how many that were, and in how many seconds. */
app.post('/', async (_req, res) => {
  const pending = await bills.find({ status: 'PENDING' }, { projection: { _id: 1 } }).toArray()
  let cancelled = 0
  const batcher = async (): Promise<void> => {
    for (let bill = pending.pop(); bill !== undefined; bill = pending.pop()) {
      const { _id } = bill
      const change = { $set: { status: 'CANCELLED', updatedAt: new Date() } } as const
      if ((await bills.findOneAndUpdate({ _id, status: 'PENDING' }, change)) !== null) cancelled += 1
    }
  }
  const startAt = performance.now()
  await Promise.all(Array.from({ length: atATime }, batcher))
  res.json({ cancelled, seconds: (performance.now() - startAt) / 1000 })
})
app.listen(Number(process.env.PORT))
