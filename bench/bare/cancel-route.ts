// The bare counterpart of a cancel: Express 5, one guarded findOneAndUpdate by an indexed field, and the same write
// concern.
import express from 'express'
import { mongo } from 'mongoose'

const client = await mongo.MongoClient.connect(process.env.MONGODB_URL ?? '', {
  writeConcern: { w: 'majority', journal: true },
})
const payments = client.db().collection('bare')

const app = express()
app.post('/:reference/cancel', async (req, res) => {
  const payment = await payments.findOneAndUpdate(
    { reference: req.params.reference, status: 'PENDING' },
    { $set: { status: 'CANCELLED', updatedAt: new Date() } },
    { returnDocument: 'after' },
  )
  if (payment === null) res.sendStatus(409)
  else res.json({ success: true, data: payment })
})
app.listen(Number(process.env.PORT))
