import { eventBody, exactly, instant } from './event-body.ts'
import type { EventName } from './events.ts'
import { declines, failures } from './payment-reasons.ts'
import { amount, count, described, shaped, textOrNull } from './responses/fields.ts'
import { eventFields } from './responses/intent.ts'

/** The names of the events about payment intents. */
export type PaymentEventName = Extract<EventName, `payment.${string}`>

const nothing = { type: 'null' }
/** The amount is null in events for an OPEN intent that has not been paid yet. */
const amountOrNull = { ...amount, type: ['integer', 'null'] }

const maskedPhone = shaped(String.raw`^[0-9]{2} \*\* \*\* [0-9]{2}$`, 11)

const commission = (part: object) =>
  exactly({ provider_ttc: part, payer_ttc: part, tof: part, tte: part, total_revenue: part })

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/**
 * Returns the schema of the fields that all payment events contain (SPEC 6.2). `status` is the intent's status after
 * the event.
 */
const payment = (status: string) => ({
  ...Object.fromEntries(Object.entries(eventFields).map(([name, schema]) => [snakeCase(name), schema])),
  status: { const: status },
})

const unpaid = (status: string, more: Record<string, object>) =>
  exactly({
    ...payment(status),
    amount: described('Centimes. Null for an OPEN intent.', amountOrNull),
    paid_at: nothing,
    payer_phone: nothing,
    commission: commission({ ...count, maximum: 0 }),
    ...more,
  })

const paid = (status: string, more: Record<string, object>) =>
  exactly({
    ...payment(status),
    amount: described('Centimes. The amount that the customer paid, without fees.', amount),
    paid_at: instant,
    payer_phone: described(
      'The phone number of the customer, masked as `22 ** ** 45`, whatever its length.',
      maskedPhone,
    ),
    commission: commission(count),
    ...more,
  })

const failure = (retryable: boolean, codes: readonly string[]) =>
  exactly({ code: { enum: codes }, retryable: { const: retryable } })

const refund = exactly({
  id: shaped('^RF-[0-9A-Z]{16}$', 19),
  amount,
  returned_fees: described(
    'The parts of the fees that this refund gives back to you and to the customer, in centimes.',
    exactly({ provider_ttc: count, payer_ttc: count }),
  ),
  reason: textOrNull(200),
})

/** The schemas of the bodies of payment events (SPEC 6.2). The service sends only the fields in these schemas. */
export const paymentEvents: Record<PaymentEventName, object> = {
  'payment.created': eventBody('payment.created', unpaid('PENDING', {})),
  'payment.confirmed': eventBody('payment.confirmed', paid('PAID', {})),
  'payment.cancelled': eventBody('payment.cancelled', unpaid('CANCELLED', {})),
  'payment.expired': eventBody('payment.expired', unpaid('CANCELLED', {})),
  'payment.refunded': eventBody('payment.refunded', paid('REFUNDED', { refund })),
  'payment.failed': eventBody('payment.failed', {
    oneOf: [
      unpaid('PENDING', { failure: failure(true, declines) }),
      unpaid('FAILED', { failure: failure(false, failures) }),
    ],
  }),
}
