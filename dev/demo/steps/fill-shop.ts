import { type Call, callApiBriefly } from '../call-api.ts'
import { explain, gap, seen, step } from '../screen.ts'
import { type Stage, writeHeaders } from '../stage.ts'
import { must } from '../wait-for.ts'

/** The product of the order. `price` is in centimes. */
export interface Tea {
  productId: string
  packet: string
  price: number
  stock: number
}

const PACKET = '250 g'
const tea = {
  name: 'Green tea',
  variants: [
    { label: '100 g', sku: 'TEA-100', price: 4_000, stock: 10 },
    { label: PACKET, sku: 'TEA-250', price: 9_000, stock: 10 },
  ],
}
/** A CSV file. Prices are in centimes. */
const file = [
  'handle,name,variant_label,sku,price,stock',
  'sugar,Sugar,,SUGAR-1,3500,40',
  'glasses,Tea glasses,Plain,GLASS-P,2500,24',
  'glasses,,With gold rim,GLASS-G,6000,12',
]

/** Creates one product by the API, and two by a CSV file. */
export async function fillShop(stage: Stage): Promise<Tea> {
  step(13, 'The merchant fills its shop')
  explain('A product with two variants. The sandbox has a shop of its own that no customer sees:')
  const product = await callApiBriefly(201, write(stage, '/dev/store/products', 'application/json', tea), [
    'name',
    'variants',
  ])
  const variants = product.variants as { label: string; stock: number; price: number }[]
  const packet = variants.find(({ label }) => label === PACKET)
  must(packet?.stock === 10 && packet.price === 9_000, 'the product has the requested stock and price')
  explain('A CSV file imports many products, one row for each variant. If a row is wrong, nothing is imported.')
  const counts = await callApiBriefly(
    200,
    write(stage, '/dev/store/products/import-csv', 'text/csv', file.join('\n')),
    ['created', 'updated', 'unchanged', 'variants', 'rows'],
  )
  must(counts.created === 2 && counts.variants === 3, 'two products with three variants were created')
  gap()
  seen('3 products are for sale')
  return { productId: String(product._id), packet: PACKET, price: packet.price, stock: packet.stock }
}

const write = (stage: Stage, path: string, type: string, body: object | string): Call => ({
  origin: stage.service.origin,
  method: 'POST',
  path,
  headers: { ...writeHeaders(stage.key), 'Content-Type': type },
  body,
})
