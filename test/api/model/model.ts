import type { IntentStatus } from '../../../schemas/intents.ts'

/** Two test keys of one business, its live key, and another business's key. */
export const callers = {
  till: { business: 0, sandbox: true },
  office: { business: 0, sandbox: true },
  live: { business: 0, sandbox: false },
  stranger: { business: 1, sandbox: true },
} as const

export type CallerName = keyof typeof callers
export type Write = { by: CallerName; key: string } & (
  | { what: 'create'; body: { amount?: number; amountType?: string; merchantReference?: string } }
  | { what: 'cancel'; to: number; body: Record<string, never> }
  | { what: 'simulate'; to: number; body: { amount?: number; outcome?: string } }
  | { what: 'refund'; to: number; body: { amount?: number; expectedRefundable?: number } }
)

export interface Search {
  by: CallerName
  status: IntentStatus | null
  minAmount: number | null
  page: number
  limit: number
}

export type WalletName = 'pays' | 'wrongPin' | 'poor' | 'broken'

interface Known {
  business: number
  sandbox: boolean
  isOpen: boolean
  amount: number | null
  reference: string | null
  status: IntentStatus
  reason: string | null
  failure: string | null
  paid: number | null
  refunds: number[]
  expiresAt: number
  events: [event: string, status: IntentStatus, amount: number | null][]
}

const isPending = ({ status, expiresAt }: Known, now: number): boolean =>
  status === 'PENDING' && now < expiresAt

const addEvent = (intent: Known, event: string): void =>
  void intent.events.push([event, intent.status, intent.isOpen ? intent.paid : intent.amount])

/** What a response shows of the intent (SPEC 2.1). */
function seenAt(intent: Known, now: number) {
  const isExpired = intent.status === 'PENDING' && !isPending(intent, now)
  const { failure } = intent
  return {
    status: isExpired ? 'CANCELLED' : intent.status,
    amount: intent.isOpen ? null : intent.amount,
    sandbox: intent.sandbox,
    hasCode: isPending(intent, now),
    reason: isExpired ? 'expired' : intent.reason,
    failure:
      failure === null
        ? null
        : { code: failure, retryable: failure !== 'technical_error' && isPending(intent, now) },
    paid: intent.paid,
    refunds: intent.refunds.toSorted((a, b) => a - b),
    refunded: sum(intent.refunds),
    expiresAt: new Date(intent.expiresAt).toISOString(),
  }
}

const sum = (amounts: number[]): number => amounts.reduce((all, amount) => all + amount, 0)
export type Seen = ReturnType<typeof seenAt>

/** The service according to the specification, one operation at a time. Imports nothing from src. */
export interface Model {
  now: number
  intents: Known[]
  kept: Map<string, { expiresAt: number; body: string; response: Expected }>
}

export type Expected = { status: number; code: string | null; seen: Seen | null }

/** `kept` is the key of `Model.kept`. */
export type Due = Expected & { kept: string; replay: 'no' | 'same' | 'other' }
const dayMs = 86_400_000
const largest = 1_000_000_000
const magic = { failingPayment: 99_901, failingRefund: 99_904 }

/** SPEC 5.4: for 24 hours, a key repeats its first response for the same path and API key, whatever the parameters. */
export function respondTo(model: Model, write: Write): Due {
  const path = write.what === 'create' ? [] : [write.to, write.to < model.intents.length]
  const kept = JSON.stringify([write.by, write.what, ...path, write.key])
  // A cancel ignores its body (SPEC 4.4).
  const body = write.what === 'cancel' ? '' : JSON.stringify(write.body)
  if (write.what === 'simulate' && !callers[write.by].sandbox)
    return { ...refused(403, 'SANDBOX_ONLY'), kept, replay: 'no' }
  const before = model.kept.get(kept)
  if (before !== undefined && model.now < before.expiresAt)
    return { ...before.response, kept, replay: before.body === body ? 'same' : 'other' }
  const response = firstResponse(model, write)
  model.kept.set(kept, { expiresAt: model.now + dayMs, body, response })
  return { ...response, kept, replay: 'no' }
}

function firstResponse(model: Model, write: Write): Expected {
  if (write.what === 'create') return create(model, write)
  const intent = found(model, write.by, write.to)
  if ('code' in intent) return intent
  if (write.what === 'cancel') return cancel(intent, model.now)
  return write.what === 'refund'
    ? refund(intent, write.body, model.now)
    : simulate(intent, write.body, model.now)
}

/** SPEC 4.1. */
function create(model: Model, { by, body }: Write & { what: 'create' }): Expected {
  const { amount = null, amountType = 'FIXED', merchantReference: reference = null } = body
  const isOpen = amountType === 'OPEN'
  if (amount === null && !isOpen) return refused(400, 'VALIDATION_ERROR')
  if (amount !== null && (amount < 1 || amount > largest)) return refused(400, 'AMOUNT_OUT_OF_RANGE')
  if (!isOpen && amountType !== 'FIXED') return refused(400, 'INVALID_AMOUNT_TYPE')
  const sameReference = model.intents.filter((one) => reference !== null && isRival(one, by, reference))
  expireDue(sameReference, model.now)
  if (sameReference.some(({ status }) => inUse.has(status))) return refused(409, 'MERCHANT_REFERENCE_TAKEN')
  const intent: Known = {
    ...callers[by],
    isOpen,
    amount,
    reference,
    status: 'PENDING',
    reason: null,
    failure: null,
    paid: null,
    refunds: [],
    expiresAt: model.now + dayMs,
    events: [],
  }
  model.intents.push(intent)
  addEvent(intent, 'payment.created')
  return { status: 201, code: null, seen: seenAt(intent, model.now) }
}

const inUse = new Set<Known['status']>(['PENDING', 'PAID', 'REFUNDED'])
const isRival = (one: Known, by: CallerName, reference: string): boolean =>
  one.reference === reference && one.business === callers[by].business && one.sandbox === callers[by].sandbox

function cancel(intent: Known, now: number): Expected {
  if (!isPending(intent, now)) return refused(400, 'INTENT_CANCEL_INVALID_STATUS')
  Object.assign(intent, { status: 'CANCELLED', reason: 'requested_by_merchant' })
  addEvent(intent, 'payment.cancelled')
  return good(intent, now)
}

/** SPEC 4.6, with the magic amount of SPEC 8. */
function simulate(intent: Known, body: { amount?: number; outcome?: string }, now: number): Expected {
  if (!intent.isOpen && body.amount !== undefined && body.amount !== intent.amount)
    return refused(400, 'VALIDATION_ERROR')
  if (!isPending(intent, now)) return refused(400, 'INTENT_NOT_PENDING')
  const amount = body.amount ?? intent.amount ?? 10_000
  const outcome = amount === magic.failingPayment ? 'technical_error' : body.outcome
  return settle(intent, amount, outcome ?? 'success') ? good(intent, now) : refused(402, 'PAYMENT_FAILED')
}

function settle(intent: Known, amount: number, outcome: string): boolean {
  const isPaid = outcome === 'success'
  if (isPaid) Object.assign(intent, { status: 'PAID', paid: amount, failure: null })
  else Object.assign(intent, { failure: outcome })
  if (outcome === 'technical_error') intent.status = 'FAILED'
  addEvent(intent, isPaid ? 'payment.confirmed' : 'payment.failed')
  return isPaid
}

function refund(intent: Known, input: (Write & { what: 'refund' })['body'], now: number): Expected {
  const left = (intent.paid ?? 0) - sum(intent.refunds)
  const amount = input.amount ?? left
  if (left === 0) return refused(400, 'INTENT_REFUND_INVALID_STATUS')
  if ((input.expectedRefundable ?? left) !== left) return refused(400, 'REFUND_AMOUNT_MISMATCH')
  if (amount > left) return refused(400, 'AMOUNT_OUT_OF_RANGE')
  if ([amount, intent.paid].includes(magic.failingRefund)) return refused(402, 'REFUND_FAILED')
  intent.refunds.push(amount)
  intent.status = 'REFUNDED'
  addEvent(intent, 'payment.refunded')
  return good(intent, now)
}

/** Null if there is nothing to pay. Only a technical error ends the intent. */
export function payOnPage(model: Model, to: number, wallet: WalletName): 'paid' | 'not paid' | null {
  const intent = model.intents[to]
  // No payment begins in an intent's last second.
  if (!intent?.sandbox || intent.isOpen || !isPending(intent, model.now + 1000)) return null
  if (wallet === 'wrongPin') return 'not paid'
  const amount = intent.amount ?? 0
  if (wallet === 'broken' || amount === magic.failingPayment) settle(intent, amount, 'technical_error')
  else settle(intent, amount, wallet === 'pays' ? 'success' : 'insufficient_funds')
  return intent.paid === null ? 'not paid' : 'paid'
}

/** SPEC 4.2. */
export function read(model: Model, by: CallerName, to: number): Expected {
  const intent = found(model, by, to)
  return 'code' in intent ? intent : good(intent, model.now)
}

/** SPEC 4.3: newest first, each intent with its index. */
export function list(model: Model, { by, status, minAmount, page, limit }: Search) {
  const { business, sandbox } = callers[by]
  const all = model.intents
    .map((intent, at) => ({ at, intent }))
    .filter(({ intent }) => intent.business === business && intent.sandbox === sandbox)
    .filter(({ intent }) => minAmount === null || (listedAmount(intent) ?? -1) >= minAmount)
    .filter(({ intent }) => status === null || seenAt(intent, model.now).status === status)
    .map(({ at, intent }) => ({ at, seen: seenAt(intent, model.now) }))
    .toReversed()
  const end = page * limit
  return { items: all.slice(end - limit, end), page, limit, total: all.length, hasMore: all.length > end }
}

/** The amount that list filters use. Unpaid OPEN intents have none. */
const listedAmount = ({ isOpen, amount, paid }: Known): number | null => (isOpen ? paid : amount)
export const expireAll = ({ intents, now }: Model): void => expireDue(intents, now)

function expireDue(intents: readonly Known[], now: number): void {
  for (const intent of intents.filter((one) => one.status === 'PENDING' && !isPending(one, now))) {
    Object.assign(intent, { status: 'CANCELLED', reason: 'expired' })
    addEvent(intent, 'payment.expired')
  }
}

function found(model: Model, by: CallerName, to: number): Known | Expected {
  const intent = model.intents[to]
  if (intent?.business !== callers[by].business) return refused(404, 'INTENT_NOT_FOUND')
  return intent.sandbox === callers[by].sandbox ? intent : refused(403, 'SANDBOX_MISMATCH')
}

const refused = (status: number, code: string): Expected => ({ status, code, seen: null })
const good = (intent: Known, now: number): Expected => {
  return { status: 200, code: null, seen: seenAt(intent, now) }
}
