import type { mongo } from 'mongoose'
import { type SimulatedItem, type SimulateOrderBody, simulateOrderBody } from '../../../schemas/simulate-order.ts'
import type { Caller } from '../../businesses/caller.ts'
import { withinStorage } from '../../businesses/quotas.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { once, type Result, type WriteRequest } from '../../idempotency/request.ts'
import { bytesOf } from '../../mongo/bytes-of.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import { newEvent } from '../../outbox/event.ts'
import { wakeRelay } from '../../outbox/wake-relay.ts'
import { newId, newOrderNumber } from '../../security/ids.ts'
import { readPhone } from '../../wallets/phone.ts'
import { orderFormat } from '../../webhooks/body/order-data.ts'
import type { Product } from '../products/product.ts'
import { findAnyLine, findLines, type Line } from './lines.ts'
import { type Customer, type Order, type OrderItem, presentOrder } from './order.ts'

export interface OrderRequest {
  /** The items to order. If this is null, the order is for one unit of any product that is in stock. */
  items: SimulatedItem[] | null
  customer: Customer | null
}

/**
 * Parses the body of a simulated order. Throws VALIDATION_ERROR if the body is invalid. Whether the products exist and
 * are in stock is checked later.
 */
export function parseSimulation(deps: Pick<Deps, 'validate'>, body: unknown): OrderRequest {
  const { items, customer } = deps.validate(simulateOrderBody, body)
  return { items: items ?? null, customer: customerOf(customer ?? {}) }
}

/** Returns the customer details from the request, or null if the request contains none. */
function customerOf({ name, phone, email }: NonNullable<SimulateOrderBody['customer']>): Customer | null {
  if (name === undefined && phone === undefined && email === undefined) return null
  return { name: name ?? null, phone: readPhone(phone ?? ''), email: email ?? null }
}

/**
 * Places an order in one transaction, which takes its units from stock and stores it with its `order.new` event. Throws
 * the errors of `findLines` and `findAnyLine`, AMOUNT_OUT_OF_RANGE if a line or the total exceeds the maximum amount,
 * INSUFFICIENT_STOCK with every variant that has too few units, and RATE_LIMITED if a daily quota is used up.
 */
export async function placeOrder(
  deps: Deps,
  caller: Caller,
  { items, customer }: OrderRequest,
  request: WriteRequest,
): Promise<Result> {
  const _id = newId()
  // Orders without items compete for the newest product.
  const documents = items?.map(({ productId }) => productId) ?? [caller.businessId]
  const result = await withinStorage(deps, caller, (reserve) =>
    once(deps, request, { documents }, async ({ session }) => {
      const stored: object[] = []
      const lines =
        items === null
          ? await findAnyLine(deps, caller, session, (sample) => stored.push(sample))
          : await findLines(deps, caller, items, session)
      const order = { ...draft(deps, caller, lines, request), _id, customer }
      refuseShortage(lines)
      stored.push(order)
      await reserve({ creates: stored.length, bytes: bytesOf(...stored) })
      await takeUnits(deps, lines, session)
      await nativeCollection(deps.Order).insertOne(order, { session })
      return presentOrder(order)
    }),
  )
  if (result.kind === 'stored' && result.repeats === null) wakeRelay(deps, { _id }, 'orderIds')
  return result
}

function draft(
  { config: { maxAmount }, now }: Pick<Deps, 'config' | 'now'>,
  { businessId, sandbox }: Caller,
  lines: Line[],
  { cause }: Pick<WriteRequest, 'cause'>,
): Omit<Order, '_id' | 'customer'> {
  const items = lines.map(itemOf)
  const total = items.reduce((sum, item) => sum + item.total, 0)
  const excessive = items.findIndex((item) => item.total > maxAmount)
  if (excessive >= 0) throw refuse('AMOUNT_OUT_OF_RANGE', { param: `${lines[excessive]?.param}.quantity` })
  if (total > maxAmount) throw refuse('AMOUNT_OUT_OF_RANGE', { param: 'items' })
  const createdAt = now()
  const status = 'PLACED'
  const outbox = [newEvent('order.new', createdAt, { format: orderFormat, facts: { status } }, cause)]
  return { businessId, sandbox, status, number: newOrderNumber(), items, total, createdAt, outbox }
}

const itemOf = ({ product, variant, quantity }: Line): OrderItem => ({
  productId: product._id,
  variantId: variant._id,
  name: product.name,
  variantLabel: variant.label,
  sku: variant.sku,
  unitPrice: variant.price,
  quantity,
  total: variant.price * quantity,
})

/** Several lines may be for the same variant. */
function refuseShortage(lines: Line[]): void {
  const demands = [...Map.groupBy(lines, ({ variant }) => variant._id).values()].map((ofVariant) => {
    const [{ param, product, variant }] = ofVariant as [Line]
    const requested = ofVariant.reduce((sum, { quantity }) => sum + quantity, 0)
    return { param, productId: product._id, variantId: variant._id, requested, available: variant.stock }
  })
  const items = demands.filter(({ requested, available }) => requested > available)
  if (items.length > 0) throw refuse('INSUFFICIENT_STOCK', { details: { items } })
}

async function takeUnits(
  { Product, now }: Pick<Deps, 'Product' | 'now'>,
  lines: Line[],
  session: mongo.ClientSession,
): Promise<void> {
  const updatedAt = now()
  const updates = lines.map(
    ({ product: { _id }, variant, quantity }): mongo.AnyBulkWriteOperation<Product> => ({
      updateOne: {
        filter: { _id, variants: { $elemMatch: { _id: variant._id, stock: { $gte: quantity } } } },
        update: { $inc: { 'variants.$.stock': -quantity }, $set: { updatedAt } },
      },
    }),
  )
  const { matchedCount } = await nativeCollection(Product).bulkWrite(updates, { session, ordered: false })
  if (matchedCount < updates.length) throw new Error('A product has changed within a transaction that has read it.')
}
