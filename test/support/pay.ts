import type { Deps } from '../../src/deps.ts'
import type { Intent } from '../../src/intents/intent.ts'
import {
  type Confirmation,
  type PaymentRequest,
  type PaymentResult,
  payIntent,
} from '../../src/intents/payments/pay.ts'
import type { Refund } from '../../src/intents/refunds/refund-record.ts'
import { noDeadline } from '../../src/mongo/batching/batcher.ts'
import { newId } from '../../src/security/ids.ts'
import { type ApiResponse, post } from './actions.ts'
import type { Merchant, Service } from './service.ts'

/** What customers and merchants do about payments, for tests of what happens behind the pages and the API. */

/** The intent as MongoDB has it now. */
export const storedIntent = (service: Service, referenceNumber: string): Promise<Intent> =>
  service.deps.Intent.findOne({ referenceNumber }).orFail().lean<Intent>()

/** The names of all events that an intent has told, while no relay runs. */
export const outboxEventsOf = ({ outbox }: Intent): string[] => outbox.map(({ event }) => event)

/** Nobody waits for it. */
export const withoutDeadline: PaymentRequest = { cause: null, withinDeadline: (work) => work(noDeadline) }

/** A customer confirms: the demo wallet that pays, the whole amount, a form of its own, but for what is said otherwise. */
export function payFor(
  { deps }: { deps: Deps },
  intent: Intent,
  said: Partial<Confirmation>,
): Promise<PaymentResult> {
  const wallet = deps.wallets.forPayments(intent.sandbox)
  if (wallet === null) throw new Error('there is no wallet')
  const usual = { paymentId: newId(), phone: '22000001', pin: '1234', amount: intent.amount ?? 10_000 }
  return payIntent(deps, wallet, intent, { ...usual, ...said }, withoutDeadline)
}

/** The same, from the look at the intent on. */
export async function pay(
  service: { deps: Deps },
  referenceNumber: string,
  said: Partial<Confirmation> = {},
): Promise<PaymentResult> {
  const intent = await service.deps.Intent.findOne({ referenceNumber }).orFail().lean<Intent>()
  return payFor(service, intent, said)
}

/** How a payment went, in one word. */
export const outcomeName = (paid: PaymentResult): string =>
  paid.state === 'settled' ? paid.outcome.outcome : paid.state

export const refund = (
  service: Service,
  merchant: Merchant,
  referenceNumber: string,
  amount: number,
): Promise<ApiResponse> =>
  post(service, merchant, `/intents/${referenceNumber}/refund`, JSON.stringify({ amount }))

export const simulate = (
  service: Service,
  merchant: Merchant,
  referenceNumber: string,
  input: object = {},
): Promise<ApiResponse> =>
  post(service, merchant, `/intents/${referenceNumber}/simulate-payment`, JSON.stringify(input))

/** A refund that begins now. */
export function newRefund({ now }: Pick<Deps, 'now'>, amount: number): Refund {
  const createdAt = now()
  const validUntil = new Date(createdAt.getTime() + 15_000)
  const [id, effectId] = [`RF-${newId()}`, newId()]
  return { id, amount, reason: null, status: 'PENDING', effectId, createdAt, validUntil, queryAt: validUntil }
}
