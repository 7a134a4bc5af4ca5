// What retrieving is measured against: Express 5, one findOne by an indexed field, nothing else.
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
