import { act, type Context, read, write } from '../context.ts'
import { dataOf, isGood } from '../request-spec.ts'
import { type KnownProduct, remember } from '../world.ts'

type ProductData = { _id: string; variants: { _id: string; label: string; stock: number }[] }

/** One variant whose stock lasts, and one whose stock runs out. */
const initialStock = [300, 60]

/** Creates a product whose stock the checker calculates. Returns it with its stock, or null if that was refused. */
export async function openProduct(context: Context): Promise<{ product: KnownProduct; stock: number[] } | null> {
  const idempotencyKey = context.newKey()
  const variants = initialStock.map((stock, index) => ({
    label: ['petit', 'grand'][index],
    price: context.chance.whole(1, 5000),
    stock,
    sku: `${context.tenant.marker}-${idempotencyKey}-${index}`,
  }))
  const data = await create(context, idempotencyKey, { variants })
  if (data === null) return null
  const product = { id: data._id, variants: data.variants.map(({ _id, label }) => ({ id: _id, label })) }
  return { product, stock: data.variants.map(({ stock }) => stock) }
}

async function create(context: Context, idempotencyKey: string, fields: object): Promise<ProductData | null> {
  const name = `${context.tenant.marker} ${idempotencyKey}`
  const more = { idempotencyKey, other: { name: `${name} other`, price: 7 } }
  const json = { name, description: 'Thé', ...fields }
  const call = await write(context, 'product.create', '/store/products', { json }, more)
  return call === null || !isGood(call) ? null : dataOf<ProductData>(call)
}

export async function createProduct(context: Context): Promise<void> {
  if (!context.tenant.hasShop) return
  const fields = { price: context.chance.whole(0, 9000), stock: context.chance.whole(0, 20) }
  const data = await create(context, context.newKey(), fields)
  if (data !== null) remember(context.tenant.passing, data._id)
}

/** Changes a product. Keeps price and stock of products whose stock the checker calculates. */
export async function updateProduct(context: Context): Promise<void> {
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

export async function deleteProduct(context: Context): Promise<void> {
  const { tenant, chance } = context
  if (tenant.passing.length === 0) return
  await act(context, 'product.delete', `/store/products/${chance.pick(tenant.passing)}`, { method: 'DELETE' })
}

export async function listProducts(context: Context): Promise<void> {
  const { chance, tenant } = context
  if (tenant.products.length > 0 && chance.is(0.4))
    await read(context, 'product.read', `/store/products/${chance.pick(tenant.products).id}`)
  else if (chance.is(0.1)) await read(context, 'product.export', '/store/products/export-csv')
  else await read(context, 'product.list', `/store/products?limit=${chance.pick([1, 20, 100])}`)
}

/** Imports a file of products, some of which are in a later file again. */
export async function importProducts(context: Context): Promise<void> {
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

/** Changes stock, sometimes several times at once. Only deltas change the first variant, whose stock is calculated. */
export async function changeStock(context: Context): Promise<void> {
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
