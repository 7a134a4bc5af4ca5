// The bare counterpart of an import: Express 5, the body streamed through csv-parse, one bulk write, and the same write
// concern.
import { parse } from 'csv-parse'
import express from 'express'
import { mongo } from 'mongoose'

interface Row {
  handle: string
  name: string
  description: string
  variant_label: string
  sku: string
  price: string
  stock: string
  active: string
}

const client = new mongo.MongoClient(process.env.MONGODB_URL ?? '', {
  writeConcern: { w: 'majority', journal: true },
})
await client.connect()
const products = client.db().collection<{ _id: string }>('bare')
const newId = (): string => new mongo.ObjectId().toHexString()

const app = express()
app.post('/shops/:businessId/import-csv', async (req, res) => {
  const { businessId } = req.params
  const now = new Date()
  const made = new Map<string, ReturnType<typeof productOf>>()
  let rows = 0
  for await (const row of req.pipe(parse({ columns: true })) as AsyncIterable<Row>) {
    const product = made.get(row.handle) ?? productOf(row, businessId, now)
    made.set(row.handle, product)
    product.variants.push({
      _id: newId(),
      label: row.variant_label,
      sku: row.sku,
      price: Number(row.price),
      stock: Number(row.stock),
    })
    product.skus.push(row.sku)
    rows += 1
  }
  await products.bulkWrite(
    [...made.values()].map((document) => ({ insertOne: { document } })),
    { ordered: false },
  )
  const counts = { created: made.size, updated: 0, unchanged: 0, variants: rows, rows }
  res.json({ success: true, data: counts })
})
app.listen(Number(process.env.PORT))

/** The product as the service stores it. */
const productOf = ({ handle, name, description, active }: Row, businessId: string, now: Date) => ({
  _id: newId(),
  businessId,
  sandbox: false,
  handle,
  name,
  description,
  images: [],
  active: active === 'true',
  variants: [] as { _id: string; label: string; sku: string; price: number; stock: number }[],
  skus: [] as string[],
  listed: true,
  deletedAt: null,
  createdAt: now,
  updatedAt: now,
})
