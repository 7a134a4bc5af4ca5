import { eventBody, exactly, instant } from './event-body.ts'
import type { EventName } from './events.ts'

/** The events of the store. */
export type OrderEventName = Extract<EventName, `order.${string}`>

const id = { type: 'string', pattern: '^[0-9a-f]{24}$' }
const number = { type: 'string', pattern: '^OR-[0-9A-Z]{16}$' }
/** Centimes. Something may be given away. */
const amount = { type: 'integer', minimum: 0 }
const text = { type: 'string', minLength: 1 }
const textOrNone = { type: ['string', 'null'], minLength: 1 }

const item = exactly({
  product_id: id,
  variant_id: id,
  name: text,
  variant_label: text,
  sku: textOrNone,
  unit_price: amount,
  quantity: { type: 'integer', minimum: 1 },
  total: amount,
})

/** The body of each event of an order as a JSON Schema (SPEC 6.2). A field that is not here is not sent. */
export const orderEvents: Record<OrderEventName, object> = {
  'order.new': eventBody(
    'order.new',
    exactly({
      _id: id,
      reference_number: number,
      number,
      status: { const: 'PLACED' },
      items: { type: 'array', minItems: 1, maxItems: 100, items: item },
      total: amount,
      currency: { const: 'MRU' },
      customer: {
        oneOf: [{ type: 'null' }, exactly({ name: textOrNone, phone: textOrNone, email: textOrNone })],
      },
      created_at: instant,
    }),
  ),
}
