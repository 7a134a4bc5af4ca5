import type { mongo } from 'mongoose'
import { type SimulatedItem, type SimulateOrderBody, simulateOrderBody } from '../../../schemas/orders.ts'
import { runAuditedOnce } from '../../audit/audited.ts'
import type { Caller } from '../../businesses/caller.ts'
import { withStorageQuota } from '../../businesses/quotas.ts'
import type { OperationResult, WriteRequest } from '../../idempotency/request.ts'
import { readPhone } from '../../input/phone.ts'
import { measureBson, rawCollection } from '../../mongo/collection.ts'
import { newEvent, wakeRelay } from '../../outbox/event.ts'
import type { Deps } from '../../platform/deps.ts'
import { refuse } from '../../platform/errors.ts'
import { newId, newOrderNumber } from '../../platform/ids.ts'
import { addSampleProduct, type StoreWriteDeps } from '../products/create.ts'
import { getVariantById, getVariantByLabel, type Product, type Variant } from '../products/product.ts'
import { type Order, type OrderCustomer, type OrderItem, orderEventFormat, presentOrder } from './order.ts'

interface OrderRequest {
  /** If null, orders one unit of any product in stock. */
  items: SimulatedItem[] | null
  customer: OrderCustomer | null
}

export function parseSimulateOrder(deps: Pick<Deps, 'validate'>, body: unknown): OrderRequest {
  const { items, customer } = deps.validate(simulateOrderBody, body)
  return { items: items ?? null, customer: customerOf(customer ?? {}) }
}

type GivenCustomer = NonNullable<SimulateOrderBody['customer']>

function customerOf({ name, phone, email }: GivenCustomer): OrderCustomer | null {
  if (name === undefined && phone === undefined && email === undefined) return null
  return { name: name ?? null, phone: readPhone(phone ?? ''), email: email ?? null }
}

export async function placeOrder(
  deps: StoreWriteDeps & Pick<Deps, 'Order' | 'enqueue'>,
  caller: Caller,
  { items, customer }: OrderRequest,
  request: WriteRequest,
): Promise<OperationResult> {
  const _id = newId()
  // Orders without items all sell the newest product, so they share a lock.
  const documents = items?.map(({ productId }) => productId) ?? [caller.businessId]
  const result = await withStorageQuota(deps, caller, (reserve) =>
    runAuditedOnce(deps, request, { documents }, async ({ session }) => {
      const stored: object[] = []
      const lines =
        items === null
          ? await findAnyLine(deps, caller, session, (sample) => stored.push(sample))
          : await findLines(deps, caller, items, session)
      const order = { ...draft(deps, caller, lines, request), _id, customer }
      refuseShortage(lines)
      stored.push(order)
      await reserve({ creates: stored.length, bytes: measureBson(...stored) })
      await takeUnits(deps, lines, session)
      await rawCollection(deps.Order).insertOne(order, { session })
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
  const outbox = [newEvent('order.new', createdAt, { format: orderEventFormat, facts: { status } }, cause)]
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
  const updates = lines.map(({ product: { _id }, variant, quantity }) => ({
    updateOne: {
      filter: { _id, variants: { $elemMatch: { _id: variant._id, stock: { $gte: quantity } } } },
      update: { $inc: { 'variants.$.stock': -quantity }, $set: { updatedAt } },
    },
  }))
  const { matchedCount } = await rawCollection(Product).bulkWrite(updates, { session, ordered: false })
  if (matchedCount < updates.length)
    throw new Error('A product has changed within a transaction that has read it.')
}

type SoldProduct = Pick<Product, '_id' | 'sandbox' | 'name' | 'active' | 'variants'>

interface Line {
  /** The line's field in the request, e.g. `items[0]`. */
  param: string
  product: SoldProduct
  variant: Variant
  quantity: number
}

const soldFields = { sandbox: 1, name: 1, active: 1, variants: 1 } as const

async function findLines(
  { Product }: Pick<Deps, 'Product'>,
  { businessId, sandbox }: Caller,
  items: SimulatedItem[],
  session: mongo.ClientSession,
): Promise<Line[]> {
  const where = { _id: { $in: items.map(({ productId }) => productId) }, businessId, listed: true }
  const products = await rawCollection(Product)
    .find<SoldProduct>(where, { projection: soldFields, session })
    .toArray()
  const found = items.map((item, index) => {
    const product = products.find(({ _id }) => _id === item.productId)
    const param = `items[${index}]`
    if (product === undefined) throw refuse('PRODUCT_NOT_FOUND', { param: `${param}.productId` })
    return { ...item, product, param }
  })
  for (const { product, param } of found)
    if (product.sandbox !== sandbox) throw refuse('SANDBOX_MISMATCH', { param: `${param}.productId` })
  const lines = found.map((item) => ({ ...item, variant: variantOf(item) }))
  for (const { product, param } of lines)
    if (!product.active)
      throw refuse('VALIDATION_ERROR', {
        param: `${param}.productId`,
        message: 'This product is not for sale (active is false).',
      })
  return lines
}

function variantOf({ variantId, variantLabel, product, param }: SimulatedItem & Omit<Line, 'variant'>) {
  if (variantId !== undefined) return getVariantById(product, variantId, `${param}.variantId`)
  if (variantLabel !== undefined) return getVariantByLabel(product, variantLabel, `${param}.variantLabel`)
  const [only, ...others] = product.variants
  if (only !== undefined && others.length === 0) return only
  throw refuse('VALIDATION_ERROR', {
    param: `${param}.variantId`,
    message: 'This product has several variants. Choose one with variantId or variantLabel.',
    details: { variants: product.variants.map(({ _id, label }) => ({ _id, label })) },
  })
}

/** The search may have to skip many sold-out products. */
const searchTimeoutMs = 2000

/** Adds a sample product to a sandbox without products. */
async function findAnyLine(
  deps: Pick<Deps, 'Shop' | 'Product' | 'config' | 'now'>,
  caller: Caller,
  session: mongo.ClientSession,
  onSample: (sample: Product) => void,
): Promise<Line[]> {
  const { businessId, sandbox } = caller
  const all = { businessId, sandbox, listed: true }
  const inStock = { ...all, active: true, variants: { $elemMatch: { stock: { $gte: 1 } } } }
  let product = await deps.Product.findOne(inStock, soldFields, { session })
    .sort({ createdAt: -1, _id: -1 })
    .maxTimeMS(searchTimeoutMs)
    .lean<SoldProduct | null>()
  if (product === null && sandbox && (await deps.Product.exists(all).session(session)) === null) {
    const sample = await addSampleProduct(deps, caller, session)
    onSample(sample)
    product = sample
  }
  const variant = product?.variants.find(({ stock }) => stock >= 1)
  if (product !== null && variant !== undefined) return [{ param: 'items', product, variant, quantity: 1 }]
  throw refuse('INSUFFICIENT_STOCK', {
    message: 'No active product has a variant in stock.',
    details: { items: [] },
  })
}
