import type { Chance } from '../chance.ts'
import { read, type Scene, write } from '../scene.ts'
import { dataOf, isGood } from '../wish.ts'
import { type KnownProduct, remember } from '../world.ts'

/** In the sandbox alone; a live key is refused. */
export async function placeOrder(scene: Scene): Promise<void> {
  const { chance, place } = scene
  if (place.products.length === 0) return
  const idempotencyKey = scene.newKey()
  const customer = {
    name: `${place.marker} ${idempotencyKey}`,
    ...(chance.is(0.3) && { phone: `2${chance.whole(1_000_000, 9_999_999)}`, email: 'aicha@shop.example' }),
  }
  const items = Array.from({ length: chance.whole(1, 3) }, () => lineOf(chance.pick(place.products), chance))
  const call = await write(scene, {
    what: 'order',
    method: 'POST',
    path: '/store/orders/simulate',
    idempotencyKey,
    body: { json: { customer, items } },
    otherBody: { json: { customer, items: items.slice(0, 1) } },
    expects: [
      ...(place.sandbox ? [] : ['SANDBOX_ONLY']),
      // No shop has so many, and nobody may pay for them.
      ...(items.some(({ quantity }) => quantity === tooMany)
        ? ['INSUFFICIENT_STOCK', 'AMOUNT_OUT_OF_RANGE']
        : []),
    ],
  })
  if (call !== null && isGood(call)) remember(place.orders, dataOf<{ _id: string }>(call)._id)
}

const tooMany = 100_000

function lineOf({ id, variants }: KnownProduct, chance: Chance) {
  const variant = chance.pick(variants)
  const named = chance.is(0.5) ? { variantId: variant.id } : { variantLabel: variant.label }
  return { productId: id, ...named, quantity: chance.is(0.04) ? tooMany : chance.whole(1, 4) }
}

export async function readOrders(scene: Scene): Promise<void> {
  const { chance, place } = scene
  if (place.orders.length > 0 && chance.is(0.6))
    await read(scene, 'order.read', `/store/orders/${chance.pick(place.orders)}`)
  else
    await read(scene, 'order.list', `/store/orders?limit=${chance.pick([5, 20])}&page=${chance.pick([1, 2])}`)
}
