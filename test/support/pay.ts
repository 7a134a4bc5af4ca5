import type { Intent } from '../../src/intents/intent.ts'
import {
  type ConfirmedPayment,
  type PaymentContext,
  type PaymentResult,
  payIntent,
} from '../../src/intents/payments/pay.ts'
import type { Refund } from '../../src/intents/records.ts'
import { beginRefund } from '../../src/intents/refunds/begin-and-settle.ts'
import { noDeadline } from '../../src/mongo/batchers.ts'
import type { Deps } from '../../src/platform/deps.ts'
import { newId } from '../../src/platform/ids.ts'
import { commissionOf } from '../../src/wallets/commission.ts'
import { type ApiResponse, post } from './actions.ts'
import type { Merchant, Service } from './service.ts'
import { newMarking } from './write-request.ts'

export const storedIntent = (service: Pick<Service, 'deps'>, referenceNumber: string): Promise<Intent> =>
  service.deps.Intent.findOne({ referenceNumber }).orFail().lean<Intent>()

/** Without a relay, these are all of the intent's events. */
export const outboxEventsOf = ({ outbox }: Intent): string[] => outbox.map(({ event }) => event)
const withinDeadline: PaymentContext['withinDeadline'] = (work) => work(noDeadline)
export const withoutDeadline: PaymentContext = { cause: null, clientIp: '', withinDeadline }

export function payFor({ deps }: { deps: Deps }, intent: Intent, changes: Partial<ConfirmedPayment>) {
  const wallet = deps.wallets.forPayments(intent.sandbox)
  if (wallet === null) throw new Error('there is no wallet')
  const amount = changes.amount ?? intent.amount ?? 10_000
  const commission = commissionOf(amount, deps.config.commissionRates)
  const form = { paymentId: newId(), phone: '22000001', pin: '1234', amount, commission }
  return payIntent(deps, wallet, intent, { ...form, ...changes }, withoutDeadline)
}

export const pay = async (
  service: Pick<Service, 'deps'>,
  referenceNumber: string,
  changes: Partial<ConfirmedPayment> = {},
): Promise<PaymentResult> => payFor(service, await storedIntent(service, referenceNumber), changes)

export const outcomeName = (paid: PaymentResult): string =>
  paid.state === 'settled' ? paid.outcome.outcome : paid.state
export const refund = (service: Service, merchant: Merchant, referenceNumber: string, amount: number) =>
  post(service, merchant, `/intents/${referenceNumber}/refund`, JSON.stringify({ amount }))

export const simulate = (
  service: Service,
  merchant: Merchant,
  referenceNumber: string,
  input: object = {},
): Promise<ApiResponse> =>
  post(service, merchant, `/intents/${referenceNumber}/simulate-payment`, JSON.stringify(input))

export const beginOwnRefund = (
  deps: Deps,
  intent: Intent,
  guard: Parameters<typeof beginRefund>[2],
  own: Refund,
): Promise<boolean> => {
  const marking = newMarking(deps, { refundId: own.id })
  return beginRefund(deps, intent, guard, { refund: own, marking }, noDeadline)
}

export function newRefund({ now }: Pick<Deps, 'now'>, amount: number): Refund {
  const createdAt = now()
  const validUntil = new Date(createdAt.getTime() + 15_000)
  const id = `RF-${newId()}`
  return {
    id,
    amount,
    returnedFees: { providerTtc: 0, payerTtc: 0 },
    reason: null,
    status: 'PENDING',
    createdAt,
    validUntil,
    queryAt: validUntil,
  }
}
