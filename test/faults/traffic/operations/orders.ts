import type { Chance } from '../../../support/chance.ts'
import { type Context, read, write } from '../context.ts'
import { dataOf, isGood } from '../request-spec.ts'
import { type KnownProduct, remember } from '../world.ts'

/** More than any shop has in stock, and too expensive. */
const tooMany = 100_000

/** Places an order, which only test keys may do. */
export async function placeOrder(context: Context): Promise<void> {
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
  if (call !== null && isGood(call)) remember(tenant.orders, dataOf<{ _id: string }>(call)._id)
}

function lineOf({ id, variants }: KnownProduct, chance: Chance) {
  const variant = chance.pick(variants)
  const named = chance.is(0.5) ? { variantId: variant.id } : { variantLabel: variant.label }
  return { productId: id, ...named, quantity: chance.is(0.04) ? tooMany : chance.whole(1, 4) }
}

export async function readOrders(context: Context): Promise<void> {
  const { chance, tenant } = context
  if (tenant.orders.length > 0 && chance.is(0.6))
    await read(context, 'order.read', `/store/orders/${chance.pick(tenant.orders)}`)
  else await read(context, 'order.list', `/store/orders?limit=${chance.pick([5, 9])}&page=${chance.whole(1, 2)}`)
}
