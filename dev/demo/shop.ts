import { callApi } from './call-api.ts'
import { explain, gap, mru, seen, step } from './screen.ts'
import { get, post, type Stage, seeWebhook } from './stage.ts'
import { must } from './wait-for.ts'

const PACKET = '250 g'
const tea = {
  name: 'Green tea',
  variants: [
    { label: '100 g', sku: 'TEA-100', price: 4_000, stock: 10 },
    { label: PACKET, sku: 'TEA-250', price: 9_000, stock: 10 },
  ],
}
const file = [
  'handle,name,variant_label,sku,price,stock',
  'sugar,Sugar,,SUGAR-1,3500,40',
  'glasses,Tea glasses,Plain,GLASS-P,2500,24',
  'glasses,,With gold rim,GLASS-G,6000,12',
]

type Tea = Awaited<ReturnType<typeof fillShop>>

export async function fillShop(stage: Stage) {
  step(13, 'The merchant fills its shop')
  explain('A product with two variants. The sandbox has a shop of its own that no customer sees:')
  const product = await callApi(201, post(stage, '/dev/store/products', tea), ['name', 'variants'])
  const variants = product.variants as { label: string; stock: number; price: number }[]
  const packet = variants.find(({ label }) => label === PACKET)
  must(packet?.stock === 10 && packet.price === 9_000, 'the product has the requested stock and price')
  explain(
    'A CSV file imports many products, one row for each variant. If a row is wrong, nothing is imported.',
  )
  const imported = post(stage, '/dev/store/products/import-csv', file.join('\n'), 'text/csv')
  const counts = await callApi(200, imported, ['created', 'updated', 'unchanged', 'variants', 'rows'])
  must(counts.created === 2 && counts.variants === 3, 'two products with three variants were created')
  gap()
  seen('3 products are for sale')
  return { productId: String(product._id), packet: PACKET, price: packet.price, stock: packet.stock }
}

const QUANTITY = 2

export async function takeOrder(stage: Stage, { productId, packet, price, stock }: Tea): Promise<void> {
  step(14, 'An order arrives, and the merchant gets order.new')
  explain(`With a test key a merchant can try an order. Two packets of tea, of ${stock} in stock:`)
  const items = [{ productId, variantLabel: packet, quantity: QUANTITY }]
  const simulated = post(stage, '/dev/store/orders/simulate', { items })
  const order = await callApi(201, simulated, ['number', 'status', 'total', 'currency'])
  const isRight = order.status === 'PLACED' && order.total === QUANTITY * price
  must(isRight, 'the order is placed, for the right total')
  await seeWebhook(stage, { event: 'order.new', reference: String(order.number), status: 'PLACED' })
  const product = await callApi(200, get(stage, `/dev/store/products/${productId}`), ['variants'])
  const left = (product.variants as { label: string; stock: number }[]).find(({ label }) => label === packet)
  must(left?.stock === stock - QUANTITY, 'the order took what it sold from the stock')
  gap()
  seen(`order of ${mru(QUANTITY * price)}; ${left.stock} packets are left, and no order can have more`)
}
