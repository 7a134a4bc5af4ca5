import type { DeliveryDocument, Dump, Facts, IntentDocument, OrderDocument } from '../documents.ts'
import { commissionFields, noCommission } from '../views/commission.ts'

/**
 * Gives each delivery what is not stored of it: the id of its event, and the bytes that every attempt must have (SPEC 6.2). They are made
 * of its facts and of what never changes of its intent or order, however that ended.
 */
export function withBodies(dump: Dump): Dump {
  const intents = new Map(dump.intents.map((intent) => [intent.referenceNumber, intent]))
  const orders = new Map(dump.orders.map((order) => [order.number, order]))
  const deliveries = dump.deliveries.map((delivery) => ({
    ...delivery,
    eventId: Buffer.from(delivery._id, 'base64url').toString('hex', 0, 12),
    body: bodyOf(delivery, intents.get(delivery.referenceNumber), orders.get(delivery.referenceNumber)),
  }))
  return { ...dump, deliveries }
}

function bodyOf(
  { _id: id, event, eventAt, sandbox, facts }: DeliveryDocument,
  intent: IntentDocument | undefined,
  order: OrderDocument | undefined,
): string {
  const data = order === undefined ? paymentData(facts, intent) : orderData(facts, order)
  return JSON.stringify({ id, event, created_at: iso(eventAt), sandbox, data })
}

const iso = (at: number): string => new Date(at).toISOString()

const paymentData = (facts: Facts, intent: IntentDocument | undefined) => ({
  reference_number: intent?.referenceNumber,
  short_code: intent?.shortCode,
  amount: facts.amount ?? null,
  currency: 'MRU',
  status: facts.status,
  paid_at: facts.paidAt === undefined ? null : iso(facts.paidAt),
  payer_phone: facts.payerPhone ?? null,
  metadata: Object.fromEntries(intent?.metadata.map(({ key, value }) => [key, value]) ?? []),
  commission: commissionFields(facts.commission ?? noCommission),
  failure: facts.failure,
  refund: facts.refund && { ...facts.refund, reason: facts.refund.reason ?? null },
})

const orderData = ({ status }: Facts, { _id, number, items, total, customer, createdAt }: OrderDocument) => ({
  _id,
  reference_number: number,
  number,
  status,
  items: items.map((item) => ({
    product_id: item.productId,
    variant_id: item.variantId,
    name: item.name,
    variant_label: item.variantLabel,
    sku: item.sku,
    unit_price: item.unitPrice,
    quantity: item.quantity,
    total: item.total,
  })),
  total,
  currency: 'MRU',
  customer,
  created_at: iso(createdAt),
})
