import { currencyCode } from '../../schemas/currency.ts'
import type { Caller } from '../businesses/caller.ts'
import type { Config } from '../config/config.ts'
import { effectResult, isFreshMark, type OperationResult, type WriteRequest } from '../idempotency/request.ts'
import type { EventFacts } from '../outbox/event.ts'
import type { Deps } from '../platform/deps.ts'
import { unavailable } from '../platform/errors.ts'
import { type Commission, noCommission } from '../wallets/commission.ts'
import { isCodeActive } from './codes.ts'
import { type Intent, metadataToObject } from './intent.ts'
import { isPending, transitions } from './lifecycle.ts'
import type { Payment, Refund } from './records.ts'

const createdFields = {
  businessId: 1,
  referenceNumber: 1,
  shortCode: 1,
  code: 1,
  codeExpiresAt: 1,
  amount: 1,
  amountType: 1,
  label: 1,
  merchantReference: 1,
  sandbox: 1,
  metadata: 1,
  expiresAt: 1,
  createdAt: 1,
  payBase: 1,
  responseFormat: 1,
  requestKey: 1,
} as const satisfies { [Field in keyof Intent]?: 1 }

type CreatedIntent = Pick<Intent, keyof typeof createdFields>

export const responseFormat = 1

/** Repeats the first response, so never change a released format. */
export function buildCreateResponse(intent: CreatedIntent): Record<string, unknown> {
  if (intent.responseFormat !== responseFormat) throw unavailable()
  return presentNewIntent(intent, intent.payBase)
}

export const presentNewIntent = (
  intent: Omit<CreatedIntent, 'payBase' | 'responseFormat' | 'requestKey'>,
  payBase: string,
) => ({
  referenceNumber: intent.referenceNumber,
  shortCode: intent.shortCode,
  code: intent.code,
  codeExpiresAt: intent.codeExpiresAt,
  codeUrl: codeUrlOf(payBase, intent),
  payUrl: payUrlOf(payBase, intent),
  amount: intent.amountType === 'OPEN' ? null : intent.amount,
  amountType: intent.amountType,
  currency: currencyCode,
  label: intent.label,
  merchantReference: intent.merchantReference,
  status: 'PENDING',
  sandbox: intent.sandbox,
  metadata: metadataToObject(intent),
  expiresAt: intent.expiresAt,
  createdAt: intent.createdAt,
})

export const payUrlOf = (payBase: string, { shortCode }: Pick<Intent, 'shortCode'>): string =>
  `${payBase}/p/${shortCode}`

type Owner = Pick<Intent, 'sandbox' | 'businessId'>

export const codeUrlOf = (payBase: string, { sandbox, businessId }: Owner): string =>
  sandbox ? `${payBase}/sandbox/${businessId}` : `${payBase}/`

/** Returns null if no request with this key created an intent. */
export async function findCreateResult(
  { Intent }: Pick<Deps, 'Intent'>,
  { key, arrivedAt }: Pick<WriteRequest, 'key' | 'arrivedAt'>,
): Promise<OperationResult | null> {
  const intent = await Intent.findOne({ 'requestKey.key': key }, createdFields).lean<CreatedIntent | null>()
  return intent?.requestKey && isFreshMark(intent.requestKey, arrivedAt)
    ? effectResult(intent.requestKey, buildCreateResponse(intent), true)
    : null
}

export const intentAsOfFields = {
  status: 1,
  cancellationReason: 1,
  hold: 1,
  expiresAt: 1,
  updatedAt: 1,
} as const

type Expirable = Pick<Intent, keyof typeof intentAsOfFields>

/** Read `now` before the intent, or a paid intent could look expired. */
export function intentAsOf<Stored extends Expirable>(intent: Stored, now: Date): Stored {
  const { expire } = transitions
  if (!isPending(intent.status) || intent.expiresAt > now || intent.hold !== null) return intent
  return {
    ...intent,
    status: expire.to,
    cancellationReason: expire.cancellationReason,
    updatedAt: expire.at(intent),
  }
}

export function presentIntent(config: Pick<Config, 'payUrl'>, stored: Intent, now: Date) {
  const intent = intentAsOf(stored, now)
  const { cancellationReason, failure, refunds } = intent
  return {
    ...presentNewIntent(intent, config.payUrl),
    status: intent.status,
    ...(isCodeActive(intent, now) ? {} : { code: null, codeExpiresAt: null, codeUrl: null }),
    type: intent.till === undefined ? 'API' : 'TILL',
    payment: intent.payment === null ? null : presentPayment(intent.payment),
    refunds: refunds.map(presentRefund),
    totalAmountRefunded: sumRefunded(refunds),
    updatedAt: intent.updatedAt,
    ...(cancellationReason && { cancellationReason }),
    ...(failure && {
      failure: { code: failure.code, retryable: failure.retryable && isPending(intent.status) },
    }),
  }
}

/** Publishable keys are public, so they show no fees or refund reasons. */
export function presentForCaller(
  { kind }: Pick<Caller, 'kind'>,
  config: Pick<Config, 'payUrl'>,
  stored: Intent,
  now: Date,
) {
  if (kind === 'secret') return presentIntent(config, stored, now)
  const { payment, refunds, ...intent } = presentIntent(config, stored, now)
  return {
    ...intent,
    payment: payment && { ...payment, commission: null },
    refunds: refunds.map((refund) => ({ ...refund, reason: null, returnedFees: null })),
  }
}

const presentPayment = ({ amountPaid, paidAt, method, commission }: Payment) => ({
  amountPaid,
  paidAt,
  method,
  commission,
})

export function presentRefund(refund: Refund) {
  const { id, amount, returnedFees, reason, status, createdAt, refundedAt = null } = refund
  return { id, amount, returnedFees, currency: currencyCode, reason, status, createdAt, refundedAt }
}

const sumRefunded = (refunds: readonly Refund[]): number =>
  refunds.reduce((sum, { amount, status }) => sum + (status === 'SUCCEEDED' ? amount : 0), 0)

/** These fields never change. All others are stored with the event. */
export const paymentEventFields = {
  referenceNumber: 1,
  shortCode: 1,
  merchantReference: 1,
  metadata: 1,
} as const
export type PaymentEventSource = Pick<Intent, keyof typeof paymentEventFields>

/** Real references and short codes never contain a zero. */
export const samplePayment: PaymentEventSource = {
  referenceNumber: 'PI-TEST000000000000',
  shortCode: 'TEST00',
  merchantReference: null,
  metadata: [],
}

export const paymentEventFormat = 1

/** SPEC 6.2. Never change a format: all attempts must send the same bytes. */
export const paymentEventFormats: Record<number, (source: PaymentEventSource, facts: EventFacts) => string> =
  {
    1: paymentData,
  }

/** Bodies share one metadata string, because 200 copies would take 46 MB. */
function paymentData(source: PaymentEventSource, facts: EventFacts): string {
  const head = {
    reference_number: source.referenceNumber,
    short_code: source.shortCode,
    merchant_reference: source.merchantReference,
    amount: facts.amount ?? null,
    currency: currencyCode,
    status: facts.status,
    paid_at: facts.paidAt ?? null,
    payer_phone: facts.payerPhone ?? null,
  }
  const tail = {
    commission: commissionFields(facts.commission ?? noCommission),
    ...(facts.failure === undefined ? {} : { failure: facts.failure }),
    ...(facts.refund === undefined ? {} : { refund: refundFields(facts.refund) }),
  }
  return `${JSON.stringify(head).slice(0, -1)},"metadata":${metadataText(source)},${JSON.stringify(tail).slice(1)}`
}

const metadataTexts = new WeakMap<PaymentEventSource, string>()

function metadataText(source: PaymentEventSource): string {
  const text = metadataTexts.get(source) ?? JSON.stringify(metadataToObject(source))
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

const refundFields = ({ id, amount, returnedFees, reason }: NonNullable<EventFacts['refund']>) => ({
  id,
  amount,
  returned_fees: { provider_ttc: returnedFees.providerTtc, payer_ttc: returnedFees.payerTtc },
  reason: reason ?? null,
})
