// The bare counterpart of a payment: Express 5, a form, one guarded update, and the same write concern.
import express from 'express'
import { mongo } from 'mongoose'

interface Bill {
  _id: string
  status: 'PENDING' | 'PAID'
  payerPhone?: string
  paidAt?: Date
}

const client = new mongo.MongoClient(process.env.MONGODB_URL ?? '', {
  writeConcern: { w: 'majority', journal: true },
})
await client.connect()
const bills = client.db().collection<Bill>('bare')

const app = express()
app.use(express.urlencoded({ extended: false }))
app.post('/p/:id', async (req, res) => {
  const { id } = req.params
  const { phone } = req.body as { phone: string; pin: string }
  const paid = await bills.findOneAndUpdate(
    { _id: id, status: 'PENDING' },
    { $set: { status: 'PAID', payerPhone: phone, paidAt: new Date() } },
    { returnDocument: 'after' },
  )
  if (paid === null) res.sendStatus(409)
  else res.redirect(303, `/p/${paid._id}`)
})
app.listen(Number(process.env.PORT))
