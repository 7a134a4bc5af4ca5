// The bare counterpart of a storm of expiries: guarded findOneAndUpdate, AT_A_TIME of them at once, and the same write
// concern.
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
const atATime = Number(process.env.CONCURRENCY)

const app = express()
/** Cancels every pending bill. Responds with their number and the seconds. */
app.post('/', async (_req, res) => {
  const pending = await bills.find({ status: 'PENDING' }, { projection: { _id: 1 } }).toArray()
  let cancelled = 0
  const loop = async (): Promise<void> => {
    for (let bill = pending.pop(); bill !== undefined; bill = pending.pop()) {
      const { _id } = bill
      const change = { $set: { status: 'CANCELLED', updatedAt: new Date() } } as const
      if ((await bills.findOneAndUpdate({ _id, status: 'PENDING' }, change)) !== null) cancelled += 1
    }
  }
  const startAt = performance.now()
  await Promise.all(Array.from({ length: atATime }, loop))
  res.json({ cancelled, seconds: (performance.now() - startAt) / 1000 })
})
app.listen(Number(process.env.PORT))
