import { metadataObject } from '../../intents/metadata.ts'
import { type Commission, noCommission } from '../../wallets/commission.ts'
import type { Facts } from './facts.ts'
import type { OrderSource, PaymentSource } from './source.ts'

/**
 * The `data` of a payment event (SPEC 6.2), as JSON. Amounts in centimes. All bodies of one source share the text of the metadata. Otherwise
 * 200 events of one intent that are composed together would hold 20 MB of it.
 */
export function paymentData(source: PaymentSource, facts: Facts): string {
  const head = {
    reference_number: source.referenceNumber,
    short_code: source.shortCode,
    amount: facts.amount ?? null,
    currency: 'MRU',
    status: facts.status,
    paid_at: facts.paidAt ?? null,
    payer_phone: facts.payerPhone ?? null,
  }
  const tail = {
    commission: commissionFields(facts.commission ?? noCommission),
    ...(facts.failure === undefined ? {} : { failure: failureFields(facts.failure) }),
    ...(facts.refund === undefined ? {} : { refund: refundFields(facts.refund) }),
  }
  return `${JSON.stringify(head).slice(0, -1)},"metadata":${metadataText(source)},${JSON.stringify(tail).slice(1)}`
}

const metadataTexts = new WeakMap<PaymentSource, string>()

function metadataText(source: PaymentSource): string {
  const text = metadataTexts.get(source) ?? JSON.stringify(metadataObject(source))
  metadataTexts.set(source, text)
  return text
}

const commissionFields = ({ providerTtc, payerTtc, tof, tte, totalRevenue }: Commission) => ({
  provider_ttc: providerTtc,
  payer_ttc: payerTtc,
  tof,
  tte,
  total_revenue: totalRevenue,
})

const failureFields = ({ code, retryable }: NonNullable<Facts['failure']>) => ({ code, retryable })

const refundFields = ({ id, amount, reason }: NonNullable<Facts['refund']>) => ({
  id,
  amount,
  reason: reason ?? null,
})

/** The `data` of an order event (SPEC 6.2), as JSON: the order in snake_case. `reference_number` is the order's number. Amounts in centimes. */
export const orderData = (order: OrderSource, { status }: Facts): string =>
  JSON.stringify(orderFields(order, status))

const orderFields = (order: OrderSource, status: string) => ({
  _id: order._id,
  reference_number: order.number,
  number: order.number,
  status,
  items: order.items.map((item) => ({
    product_id: item.productId,
    variant_id: item.variantId,
    name: item.name,
    variant_label: item.variantLabel,
    sku: item.sku,
    unit_price: item.unitPrice,
    quantity: item.quantity,
    total: item.total,
  })),
  total: order.total,
  currency: 'MRU',
  customer: customerFields(order),
  created_at: order.createdAt,
})

const customerFields = ({ customer }: OrderSource) =>
  customer && { name: customer.name, phone: customer.phone, email: customer.email }
