// The bare counterpart of a stock change: Express 5, a JSON body, one guarded update, and the same write concern.
import express from 'express'
import { mongo } from 'mongoose'

interface Shelf {
  _id: string
  variants: { _id: string; stock: number }[]
  updatedAt: Date
}

const client = new mongo.MongoClient(process.env.MONGODB_URL ?? '', {
  writeConcern: { w: 'majority', journal: true },
})
await client.connect()
const shelves = client.db().collection<Shelf>('bare')

const app = express()
app.use(express.json())
app.patch('/products/:id/variants/:vid/stock', async (req, res) => {
  const { id, vid } = req.params
  const { delta } = req.body as { delta: number }
  const shelf = await shelves.findOneAndUpdate(
    { _id: id, variants: { $elemMatch: { _id: vid, stock: { $gte: -delta } } } },
    { $inc: { 'variants.$.stock': delta }, $set: { updatedAt: new Date() } },
    { returnDocument: 'after' },
  )
  if (shelf === null) res.sendStatus(409)
  else res.json({ success: true, data: shelf.variants.find((variant) => variant._id === vid) })
})
app.listen(Number(process.env.PORT))
