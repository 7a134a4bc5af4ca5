import { act, read, type Scene, write } from '../scene.ts'
import { dataOf, isGood } from '../wish.ts'
import { type KnownProduct, remember } from '../world.ts'

interface ProductData {
  _id: string
  variants: { _id: string; label: string; stock: number }[]
}

/** Enough for some rounds, and so little that it runs out. */
const stockAtFirst = [300, 60]

/** Creates a product whose stock is balanced, and returns it with its first stock; null if it was refused. */
export async function openProduct(scene: Scene): Promise<{ product: KnownProduct; stock: number[] } | null> {
  const idempotencyKey = scene.newKey()
  const variants = stockAtFirst.map((stock, index) => ({
    label: ['petit', 'grand'][index],
    price: scene.chance.whole(1, 5000),
    stock,
    sku: `${scene.place.marker}-${idempotencyKey}-${index}`,
  }))
  const data = await create(scene, idempotencyKey, { variants })
  if (data === null) return null
  const product = { id: data._id, variants: data.variants.map(({ _id, label }) => ({ id: _id, label })) }
  return { product, stock: data.variants.map(({ stock }) => stock) }
}

async function create(scene: Scene, idempotencyKey: string, fields: object): Promise<ProductData | null> {
  const name = `${scene.place.marker} ${idempotencyKey}`
  const more = { idempotencyKey, other: { name: `${name} other`, price: 7 } }
  const json = { name, description: 'Thé', ...fields }
  const call = await write(scene, 'product.create', '/store/products', { json }, more)
  return call === null || !isGood(call) ? null : dataOf<ProductData>(call)
}

export async function createProduct(scene: Scene): Promise<void> {
  if (!scene.place.hasShop) return
  const fields = { price: scene.chance.whole(0, 9000), stock: scene.chance.whole(0, 20) }
  const data = await create(scene, scene.newKey(), fields)
  if (data !== null) remember(scene.place.passing, data._id)
}

/** Changes price and stock only of products that are not balanced. */
export async function updateProduct(scene: Scene): Promise<void> {
  const { place, chance } = scene
  const isBalanced = chance.is(0.4)
  const ids = isBalanced ? place.products.map(({ id }) => id) : place.passing
  if (ids.length === 0) return
  const json = {
    ...(chance.is(0.5) && { description: `${place.marker} ${chance.whole(1, 999)}` }),
    ...(!isBalanced && chance.is(0.5) && { price: chance.whole(0, 9000), stock: chance.whole(0, 30) }),
    ...(!isBalanced && chance.is(0.2) && { active: chance.is(0.5) }),
  }
  const more = { method: 'PUT', other: { description: `${place.marker} other` } } as const
  await write(scene, 'product.update', `/store/products/${chance.pick(ids)}`, { json }, more)
}

export async function deleteProduct(scene: Scene): Promise<void> {
  const { place, chance } = scene
  if (place.passing.length === 0) return
  await act(scene, 'product.delete', `/store/products/${chance.pick(place.passing)}`, { method: 'DELETE' })
}

export async function listProducts(scene: Scene): Promise<void> {
  const { chance, place } = scene
  if (place.products.length > 0 && chance.is(0.4))
    await read(scene, 'product.read', `/store/products/${chance.pick(place.products).id}`)
  else if (chance.is(0.1)) await read(scene, 'product.export', '/store/products/export-csv')
  else await read(scene, 'product.list', `/store/products?limit=${chance.pick([1, 20, 100])}`)
}

/** A file with products of its own, some of which come again in a later file. */
export async function importProducts(scene: Scene): Promise<void> {
  const { chance, place } = scene
  if (!place.hasShop) return
  const numbers = new Set(Array.from({ length: chance.whole(1, 8) }, () => chance.whole(1, 12)))
  const isWrong = chance.is(0.2)
  const rows = [...numbers].map((number, index) => {
    const handle = `${place.marker}-h${number}`
    const price = isWrong && index === 0 ? 'free' : chance.whole(1, 900)
    return `${handle},${handle},,,${price},${chance.whole(0, 40)}`
  })
  const csv = ['handle,name,variant_label,sku,price,stock', ...rows].join('\n')
  const body = chance.is(0.5) ? { csv } : { json: { csv } }
  await write(scene, 'import', '/store/products/import-csv', body, {
    expects: isWrong ? ['VALIDATION_ERROR'] : [],
  })
}

/** Changes stock, sometimes several times at once. The first variant is never counted, so that its stock can be balanced. */
export async function changeStock(scene: Scene): Promise<void> {
  const { chance, place } = scene
  if (place.products.length === 0) return
  const product = chance.pick(place.products)
  const variant = chance.pick(product.variants)
  const isCounted = variant !== product.variants[0]
  const name = chance.is(0.7) ? variant.id : encodeURIComponent(variant.label)
  const path = `/store/products/${product.id}/variants/${name}/stock`
  const once = async () => {
    const how = chance.weighted({ delta: 85, stock: isCounted ? 10 : 0, tooMuch: 5 })
    const delta = how === 'tooMuch' ? -100_000 : chance.whole(-12, 16)
    const json = how === 'stock' ? { stock: chance.whole(0, 300) } : { delta }
    await write(scene, 'stock', path, { json }, { method: 'PATCH', other: { delta: 3 } })
  }
  await Promise.all(Array.from({ length: Number(chance.weighted({ 1: 80, 2: 15, 4: 5 })) }, once))
}
