import { currencyCode } from './currency.ts'
import { eventBody, exactly, instant } from './event-body.ts'
import type { EventName } from './events.ts'
import { maxLabelLength, maxNameLength, maxSkuLength } from './product-limits.ts'
import { id, orderNumber, price, text, textOrNull } from './responses/fields.ts'
import { maxOrderItems, maxUnitsPerItem } from './simulate-order.ts'

/** The names of the events about orders. */
export type OrderEventName = Extract<EventName, `order.${string}`>

const writtenOrNull = (maxLength: number) => ({ ...textOrNull(maxLength), minLength: 1 })

const item = exactly({
  product_id: id,
  variant_id: id,
  name: { ...text(maxNameLength), minLength: 1 },
  variant_label: { ...text(maxLabelLength), minLength: 1 },
  sku: writtenOrNull(maxSkuLength),
  unit_price: price,
  quantity: { type: 'integer', minimum: 1, maximum: maxUnitsPerItem },
  total: price,
})

/** The schemas of the bodies of order events (SPEC 6.2). The service sends only the fields in these schemas. */
export const orderEvents: Record<OrderEventName, object> = {
  'order.new': eventBody(
    'order.new',
    exactly({
      _id: id,
      reference_number: orderNumber,
      number: orderNumber,
      status: { const: 'PLACED' },
      items: { type: 'array', minItems: 1, maxItems: maxOrderItems, items: item },
      total: price,
      currency: { const: currencyCode },
      customer: {
        oneOf: [
          { type: 'null' },
          exactly({ name: writtenOrNull(200), phone: writtenOrNull(15), email: writtenOrNull(254) }),
        ],
      },
      created_at: instant,
    }),
  ),
}
