// The bare counterpart of a read: Express 5 and one findOne by an indexed field.
import express from 'express'
import { mongo } from 'mongoose'

const client = await mongo.MongoClient.connect(process.env.MONGODB_URL ?? '')
const payments = client.db().collection('bare')

const app = express()
app.get('/:reference', async (req, res) => {
  const payment = await payments.findOne({ reference: req.params.reference })
  if (payment === null) res.sendStatus(404)
  else res.json({ success: true, data: payment })
})
app.listen(Number(process.env.PORT))
