// The service's requests reduced to the minimum: Express 5, one MongoDB operation with the same driver and write
// concern, and nothing else. ROUTE names the one to serve, so that the others cost nothing.
import { randomUUID } from 'node:crypto'
import { Queue } from 'bullmq'
import express from 'express'
import { mongo } from 'mongoose'
import { type BareJob, bareQueue } from './jobs.ts'

interface Payment {
  _id: string
  reference?: string
  status: string
  createdAt?: Date
  updatedAt?: Date
  [field: string]: unknown
}

const { ROUTE = '', MONGODB_URL = '', REDIS_URL = '', URLS = '', PORT } = process.env
const client = await mongo.MongoClient.connect(MONGODB_URL, {
  writeConcern: { w: 'majority', journal: true },
})
const payments = client.db().collection<Payment>('bare')
const app = express()

const routes: Record<string, () => unknown> = {
  create: () =>
    app.post('/', express.json(), async (req, res) => {
      const now = new Date()
      const { amount, label, metadata } = req.body as { amount: number; label: string; metadata: object }
      const payment = {
        _id: randomUUID(),
        status: 'PENDING',
        amount,
        currency: 'MRU',
        label,
        metadata,
        createdAt: now,
        updatedAt: now,
        expiresAt: new Date(now.getTime() + 86_400_000),
      }
      await payments.insertOne(payment)
      res.status(201).json({ success: true, data: payment })
    }),

  get: () =>
    app.get('/:reference', async (req, res) => {
      const payment = await payments.findOne({ reference: req.params.reference })
      if (payment === null) res.sendStatus(404)
      else res.json({ success: true, data: payment })
    }),

  cancel: () =>
    app.post('/:reference/cancel', async (req, res) => {
      const payment = await payments.findOneAndUpdate(
        { reference: req.params.reference, status: 'PENDING' },
        { $set: { status: 'CANCELLED', updatedAt: new Date() } },
        { returnDocument: 'after' },
      )
      if (payment === null) res.sendStatus(409)
      else res.json({ success: true, data: payment })
    }),

  pay: () =>
    app.post('/p/:id', express.urlencoded({ extended: false }), async (req, res) => {
      const { phone } = req.body as { phone: string; pin: string }
      const paid = await payments.findOneAndUpdate(
        { _id: req.params.id, status: 'PENDING' },
        { $set: { status: 'PAID', payerPhone: phone, paidAt: new Date() } },
        { returnDocument: 'after' },
      )
      if (paid === null) res.sendStatus(409)
      else res.redirect(303, `/p/${paid._id}`)
    }),

  expire: () =>
    app.post('/', async (_req, res) => {
      const pending = await payments.find({ status: 'PENDING' }, { projection: { _id: 1 } }).toArray()
      let cancelled = 0
      const loop = async (): Promise<void> => {
        for (let payment = pending.pop(); payment !== undefined; payment = pending.pop()) {
          const { _id } = payment
          const change = { $set: { status: 'CANCELLED', updatedAt: new Date() } }
          if ((await payments.findOneAndUpdate({ _id, status: 'PENDING' }, change)) !== null) cancelled += 1
        }
      }
      const startAt = performance.now()
      await Promise.all(Array.from({ length: 100 }, loop))
      res.json({ cancelled, seconds: (performance.now() - startAt) / 1000 })
    }),

  /** A create with an event. As in the service, the response doesn't wait for Redis. */
  notify: async () => {
    const queue = new Queue<BareJob>(bareQueue, { connection: { url: REDIS_URL } })
    await queue.waitUntilReady()
    const urls = URLS.split(',')
    app.post('/', express.json(), async (req, res) => {
      const payment = { _id: randomUUID(), ...(req.body as object), status: 'PENDING', createdAt: new Date() }
      await payments.insertOne(payment)
      void queue.add('post', { urls, reference: payment._id })
      res.status(201).json({ success: true, data: { referenceNumber: payment._id } })
    })
  },
}

await routes[ROUTE]?.()
app.listen(Number(PORT))
