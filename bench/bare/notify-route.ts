// The bare counterpart of a create with an event: a route that inserts one document and adds one job. As in the
// service, the response does not wait for Redis.
import { randomUUID } from 'node:crypto'
import { Queue } from 'bullmq'
import express from 'express'
import { mongo } from 'mongoose'
import { notifyQueue } from './jobs.ts'

const client = new mongo.MongoClient(process.env.MONGODB_URL ?? '', {
  writeConcern: { w: 'majority', journal: true },
})
await client.connect()
const payments = client.db().collection<{ _id: string }>('bare')
const queue = new Queue(notifyQueue, { connection: { url: process.env.REDIS_URL ?? '' } })
await queue.waitUntilReady()

const app = express()
app.use(express.json())
app.post('/', async (req, res) => {
  const payment = { _id: randomUUID(), ...(req.body as object), status: 'PENDING', createdAt: new Date() }
  await payments.insertOne(payment)
  void queue.add('post', { reference: payment._id })
  res.status(201).json({ success: true, data: { referenceNumber: payment._id } })
})
app.listen(Number(process.env.PORT))
