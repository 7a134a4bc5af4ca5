import { type Payments, PaymentsError } from '../clients/typescript/payments.ts'
import type { EventName } from '../schemas/events.ts'

/** In centimes. */
const AMOUNT = 50_000
/** In centimes. With a test key, every payment of this amount fails. */
const FAILING_AMOUNT = 99_901

/** Causes an event, and describes the result in a sentence. */
type Trigger = (payments: Payments) => Promise<string>

/** Which events a test key can cause immediately. */
const triggers: Partial<Record<EventName, Trigger>> = {
  'payment.created': async (payments) => `${await createIntent(payments)} was created.`,
  async 'payment.confirmed'(payments) {
    const referenceNumber = await createIntent(payments)
    await payments.simulatePayment({ referenceNumber })
    return `${referenceNumber} was created and paid.`
  },
  async 'payment.failed'(payments) {
    const referenceNumber = await createIntent(payments, FAILING_AMOUNT)
    await unless('PAYMENT_FAILED', payments.simulatePayment({ referenceNumber }))
    return `${referenceNumber} was created, and its payment failed.`
  },
  async 'payment.refunded'(payments) {
    const referenceNumber = await createIntent(payments)
    await payments.simulatePayment({ referenceNumber })
    await payments.refundIntent({ referenceNumber })
    return `${referenceNumber} was created, paid and refunded.`
  },
  async 'payment.cancelled'(payments) {
    const referenceNumber = await createIntent(payments)
    await payments.cancelIntent({ referenceNumber })
    return `${referenceNumber} was created and cancelled.`
  },
  async 'order.new'(payments) {
    const order = await unless('INSUFFICIENT_STOCK', payments.simulateOrder())
    if (order !== undefined) return `Order ${order.number} was placed.`
    await payments.createProduct({ name: 'Green tea', price: AMOUNT, stock: 100 })
    const { number } = await payments.simulateOrder()
    return `A product was created, and order ${number} was placed.`
  },
}

/** Events that no request can cause immediately, and why. */
const untriggered: Record<string, string> = {
  'payment.expired': 'an intent expires only at its expiresAt, 24 hours after its creation',
  'endpoint.failing': 'an endpoint must fail for hours',
}

/**
 * Returns the function that causes an event with test data.
 * @throws {Error} with the events that can be caused if this one cannot
 */
export function findTrigger(event: string): Trigger {
  const trigger = Object.hasOwn(triggers, event) ? triggers[event as EventName] : undefined
  if (trigger !== undefined) return trigger
  let reason = event === '' ? '' : `There is no event ${JSON.stringify(event)}. `
  if (Object.hasOwn(untriggered, event)) reason = `${event} cannot be triggered: ${untriggered[event]}. `
  throw new Error(`${reason}These events can be triggered:\n  ${Object.keys(triggers).join('\n  ')}`)
}

async function createIntent(payments: Payments, amount = AMOUNT): Promise<string> {
  const { referenceNumber } = await payments.createIntent({ amount, label: 'Triggered by the command line' })
  return referenceNumber
}

/** Undefined if the service rejects the request with this code. */
const unless = <T>(code: string, response: Promise<T>): Promise<T | undefined> =>
  response.catch((error: unknown) => {
    if (error instanceof PaymentsError && error.code === code) return undefined
    throw error
  })
