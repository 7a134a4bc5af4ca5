import { type Payments, PaymentsError } from '../clients/typescript/payments.ts'
import type { EventName } from '../schemas/events.ts'
import type { OverrideName, Overrides } from './arguments.ts'

/** In centimes. */
const AMOUNT = 50_000

/** Causes an event, and describes the result in a sentence. */
type Trigger = (payments: Payments) => Promise<string>

interface Causing {
  /** Which options replace the test data. */
  takes: readonly OverrideName[]
  cause(payments: Payments, given: Overrides): Promise<string>
}

const ofIntent = ['amount', 'label', 'reference', 'metadata'] as const

/** Which events a test key can cause immediately. */
const triggers: Partial<Record<EventName, Causing>> = {
  'payment.created': {
    takes: ofIntent,
    cause: async (payments, given) => `${await createIntent(payments, given)} was created.`,
  },
  'payment.confirmed': {
    takes: [...ofIntent, 'phone'],
    cause: async (payments, given) => `${await pay(payments, given)} was created and paid.`,
  },
  'payment.failed': {
    takes: [...ofIntent, 'phone'],
    async cause(payments, given) {
      const referenceNumber = await createIntent(payments, given)
      const failing = { referenceNumber, ...payerOf(given), outcome: 'technical_error' } as const
      await unless('PAYMENT_FAILED', payments.simulatePayment(failing))
      return `${referenceNumber} was created, and its payment failed.`
    },
  },
  'payment.refunded': {
    takes: [...ofIntent, 'phone', 'refund-amount', 'reason'],
    async cause(payments, given) {
      const { 'refund-amount': amount, reason } = given
      const refund = {
        ...(amount !== undefined && { amount: centimes('refund-amount', amount) }),
        ...(reason !== undefined && { reason }),
      }
      const referenceNumber = await pay(payments, given)
      await payments.refundIntent({ referenceNumber, ...refund })
      return `${referenceNumber} was created, paid and refunded.`
    },
  },
  'payment.cancelled': {
    takes: ofIntent,
    async cause(payments, given) {
      const referenceNumber = await createIntent(payments, given)
      await payments.cancelIntent({ referenceNumber })
      return `${referenceNumber} was created and cancelled.`
    },
  },
  'order.new': {
    takes: [],
    async cause(payments) {
      const order = await unless('INSUFFICIENT_STOCK', payments.simulateOrder())
      if (order !== undefined) return `Order ${order.number} was placed.`
      await payments.createProduct({ name: 'Green tea', price: AMOUNT, stock: 100 })
      const { number } = await payments.simulateOrder()
      return `A product was created, and order ${number} was placed.`
    },
  },
}

/** Events that no request can cause immediately, and why. */
const untriggered: Record<string, string> = {
  'payment.expired': 'an intent expires only at its expiresAt, 24 hours after its creation',
  'endpoint.failing': 'an endpoint must fail for hours',
}

/**
 * Returns the function that causes an event with test data, or with the given data.
 * @throws {Error} with the events that can be caused if this one cannot, or with the options that it has
 */
export function findTrigger(event: string, given: Overrides): Trigger {
  const found = Object.hasOwn(triggers, event) ? triggers[event as EventName] : undefined
  if (found === undefined) {
    let reason = event === '' ? '' : `There is no event ${JSON.stringify(event)}. `
    if (Object.hasOwn(untriggered, event)) reason = `${event} cannot be triggered: ${untriggered[event]}. `
    throw new Error(`${reason}These events can be triggered:\n  ${Object.keys(triggers).join('\n  ')}`)
  }
  const { takes, cause } = found
  const unknown = (Object.keys(given) as OverrideName[]).find((name) => !takes.includes(name))
  if (unknown !== undefined)
    throw new Error(
      `${event} has no option --${unknown}. Its options: ${takes.map((name) => `--${name}`).join(', ') || 'none'}.`,
    )
  return (payments) => cause(payments, given)
}

async function pay(payments: Payments, given: Overrides): Promise<string> {
  const referenceNumber = await createIntent(payments, given)
  await payments.simulatePayment({ referenceNumber, ...payerOf(given) })
  return referenceNumber
}

const payerOf = ({ phone }: Overrides) => (phone === undefined ? {} : { payerPhone: phone })

async function createIntent(payments: Payments, given: Overrides): Promise<string> {
  const { amount, label = 'Triggered by the command line', reference, metadata } = given
  const { referenceNumber } = await payments.createIntent({
    amount: amount === undefined ? AMOUNT : centimes('amount', amount),
    label,
    ...(reference !== undefined && { merchantReference: reference }),
    ...(metadata && { metadata: Object.fromEntries(metadata.map(pairOf)) }),
  })
  return referenceNumber
}

/** The service checks the range. */
function centimes(name: OverrideName, text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new Error(`--${name} must be a whole number of centimes.`)
}

function pairOf(text: string): [key: string, value: string] {
  const at = text.indexOf('=')
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)]
  throw new Error(`--metadata must be KEY=VALUE, not ${JSON.stringify(text)}.`)
}

/** Undefined if the service rejects the request with this code. */
const unless = <T>(code: string, response: Promise<T>): Promise<T | undefined> =>
  response.catch((error: unknown) => {
    if (error instanceof PaymentsError && error.code === code) return undefined
    throw error
  })
