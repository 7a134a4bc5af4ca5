import type { Chance } from '../../../support/chance.ts'
import { dataOf } from '../../checker/responses.ts'
import { act, type Context, type KnownProduct, read, remember, write } from '../context.ts'

type ProductData = { _id: string; variants: { _id: string; label: string; stock: number }[] }
const initialStock = [300, 60]

export async function openProduct(context: Context) {
  const idempotencyKey = context.newKey()
  const variants = initialStock.map((stock, index) => ({
    label: ['petit', 'grand'][index],
    price: context.chance.whole(1, 5000),
    stock,
    sku: `${context.tenant.marker}-${idempotencyKey}-${index}`,
  }))
  const data = await create(context, idempotencyKey, { variants })
  if (data === null) return null
  const variantsOf = data.variants.map(({ _id, label }) => ({ id: _id, label }))
  const product: KnownProduct = { id: data._id, variants: variantsOf }
  return { product, stock: data.variants.map(({ stock }) => stock) }
}

async function create(context: Context, idempotencyKey: string, fields: object): Promise<ProductData | null> {
  const name = `${context.tenant.marker} ${idempotencyKey}`
  const more = { idempotencyKey, other: { name: `${name} other`, price: 7 } }
  const json = { name, description: 'Thé', ...fields }
  return dataOf<ProductData>(await write(context, 'product.create', '/store/products', { json }, more))
}

async function createProduct(context: Context): Promise<void> {
  if (!context.tenant.hasShop) return
  const fields = { price: context.chance.whole(0, 9000), stock: context.chance.whole(0, 20) }
  const data = await create(context, context.newKey(), fields)
  if (data !== null) remember(context.tenant.passing, data._id)
}

/** Keeps price and stock of products whose stock the checker computes. */
async function updateProduct(context: Context): Promise<void> {
  const { tenant, chance } = context
  const isKept = chance.is(0.4)
  const ids = isKept ? tenant.products.map(({ id }) => id) : tenant.passing
  if (ids.length === 0) return
  const json = {
    ...(chance.is(0.5) && { description: `${tenant.marker} ${chance.whole(1, 999)}` }),
    ...(!isKept && chance.is(0.5) && { price: chance.whole(0, 9000), stock: chance.whole(0, 30) }),
    ...(!isKept && chance.is(0.2) && { active: chance.is(0.5) }),
  }
  const more = { method: 'PUT', other: { description: `${tenant.marker} other` } } as const
  await write(context, 'product.update', `/store/products/${chance.pick(ids)}`, { json }, more)
}

async function deleteProduct(context: Context): Promise<void> {
  const { tenant, chance } = context
  if (tenant.passing.length === 0) return
  await act(context, 'product.delete', `/store/products/${chance.pick(tenant.passing)}`, { method: 'DELETE' })
}

async function listProducts(context: Context): Promise<void> {
  const { chance, tenant } = context
  if (tenant.products.length > 0 && chance.is(0.4))
    await read(context, 'product.read', `/store/products/${chance.pick(tenant.products).id}`)
  else if (chance.is(0.1)) await read(context, 'product.export', '/store/products/export-csv')
  else await read(context, 'product.list', `/store/products?limit=${chance.pick([1, 20, 100])}`)
}

async function importProducts(context: Context): Promise<void> {
  const { chance, tenant } = context
  if (!tenant.hasShop) return
  const numbers = new Set(Array.from({ length: chance.whole(1, 8) }, () => chance.whole(1, 12)))
  const isWrong = chance.is(0.2)
  const rows = [...numbers].map((number, index) => {
    const handle = `${tenant.marker}-h${number}`
    const price = isWrong && index === 0 ? 'free' : chance.whole(1, 900)
    return `${handle},${handle},,,${price},${chance.whole(0, 40)}`
  })
  const csv = ['handle,name,variant_label,sku,price,stock', ...rows].join('\n')
  const body = chance.is(0.5) ? { csv } : { json: { csv } }
  const expects = isWrong ? ['VALIDATION_ERROR'] : []
  await write(context, 'import', '/store/products/import-csv', body, { expects })
}

/** Sometimes several changes at once. Only deltas change the first variant, whose stock is computed. */
async function changeStock(context: Context): Promise<void> {
  const { chance, tenant } = context
  if (tenant.products.length === 0) return
  const product = chance.pick(tenant.products)
  const variant = chance.pick(product.variants)
  const isCounted = variant !== product.variants[0]
  const name = chance.is(0.7) ? variant.id : encodeURIComponent(variant.label)
  const path = `/store/products/${product.id}/variants/${name}/stock`
  const once = async () => {
    const how = chance.weighted({ delta: 85, stock: isCounted ? 10 : 0, tooMuch: 5 })
    const delta = how === 'tooMuch' ? -100_000 : chance.whole(-12, 16)
    const json = how === 'stock' ? { stock: chance.whole(0, 300) } : { delta }
    await write(context, 'stock', path, { json }, { method: 'PATCH', other: { delta: 3 } })
  }
  await Promise.all(Array.from({ length: Number(chance.weighted({ 1: 80, 2: 15, 4: 5 })) }, once))
}

const tooMany = 100_000

async function placeOrder(context: Context): Promise<void> {
  const { chance, tenant } = context
  if (tenant.products.length === 0) return
  const idempotencyKey = context.newKey()
  const contact = { phone: `2${chance.whole(1_000_000, 9_999_999)}`, email: 'aicha@shop.example' }
  const customer = { name: `${tenant.marker} ${idempotencyKey}`, ...(chance.is(0.3) && contact) }
  const items = Array.from({ length: chance.whole(1, 3) }, () => lineOf(chance.pick(tenant.products), chance))
  const isTooMuch = items.some(({ quantity }) => quantity === tooMany)
  const expects = [
    ...(tenant.sandbox ? [] : ['SANDBOX_ONLY']),
    ...(isTooMuch ? ['INSUFFICIENT_STOCK', 'AMOUNT_OUT_OF_RANGE'] : []),
  ]
  const more = { idempotencyKey, other: { customer, items: items.slice(0, 1) }, expects }
  const call = await write(context, 'order', '/store/orders/simulate', { json: { customer, items } }, more)
  const order = dataOf<{ _id: string }>(call)
  if (order !== null) remember(tenant.orders, order._id)
}

function lineOf({ id, variants }: KnownProduct, chance: Chance) {
  const variant = chance.pick(variants)
  const named = chance.is(0.5) ? { variantId: variant.id } : { variantLabel: variant.label }
  return { productId: id, ...named, quantity: chance.is(0.04) ? tooMany : chance.whole(1, 4) }
}

async function readOrders(context: Context): Promise<void> {
  const { chance, tenant } = context
  if (tenant.orders.length > 0 && chance.is(0.6))
    await read(context, 'order.read', `/store/orders/${chance.pick(tenant.orders)}`)
  else {
    const query = `limit=${chance.pick([5, 9])}&page=${chance.pick([1, 2])}`
    await read(context, 'order.list', `/store/orders?${query}`)
  }
}

export const ofStore = {
  createProduct: [8, createProduct],
  updateProduct: [10, updateProduct],
  deleteProduct: [3, deleteProduct],
  listProducts: [10, listProducts],
  importProducts: [5, importProducts],
  changeStock: [60, changeStock],
  placeOrder: [60, placeOrder],
  readOrders: [10, readOrders],
} as const
