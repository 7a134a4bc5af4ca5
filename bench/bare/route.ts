// The bare counterpart of a create: Express 5, a JSON body, one insert, and the same write concern.
import { randomUUID } from 'node:crypto'
import express from 'express'
import { mongo } from 'mongoose'

const client = new mongo.MongoClient(process.env.MONGODB_URL ?? '', {
  writeConcern: { w: 'majority', journal: true },
})
await client.connect()
const payments = client.db().collection<{ _id: string }>('bare')

const app = express()
app.use(express.json())
app.post('/', async (req, res) => {
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
})
app.listen(Number(process.env.PORT))
