/* oxlint-disable unicorn/no-useless-spread -- groups of fields stand on one line */
import {
  type DeliveryDocument,
  type Documents,
  type EventDocument,
  type Fees,
  type IntentDocument,
  type LedgerDocument,
  noDocuments,
  type OrderDocument,
} from './documents.ts'
import { noEntries, stateAfter } from './ledger-chain.ts'

const began = Date.parse('2026-11-21T12:00:00.000Z')
/** Seconds after the beginning, on both clocks. */
export const at = (seconds: number): number => began + Math.round(seconds * 1000)
export const iso = (seconds: number): string => new Date(at(seconds)).toISOString()
export const idOf = (name: string): string => Buffer.from(name.padEnd(12, '.').slice(0, 12)).toString('hex')
export const shop = { id: idOf('shop'), key: idOf('key-shop'), marker: 'shop-in-test' }
export const endpointId = idOf('endpoint')
export const hook = 'http://127.0.0.1:9999/hook/1'
export const subscribed = ['created', 'confirmed', 'cancelled', 'expired', 'refunded'].map(
  (each) => `payment.${each}`,
)
const owned = { businessId: shop.id, sandbox: true }
const payerPhone = '22 ** ** 99'
const commission = (): Fees => ({ providerTtc: 10, payerTtc: 5 })

export type Ordinary = ReturnType<typeof ordinaryDocuments>

/** The documents of a shop that has made sales, has been paid, and has no unfinished work. */
export function ordinaryDocuments() {
  const dump = structuredClone(noDocuments)
  const times = { createdAt: at(-40), updatedAt: at(-40), deletedAt: null }
  const endpoint = {
    ...owned,
    _id: endpointId,
    url: hook,
    events: subscribed,
    active: true,
    ...times,
    outbox: [],
  }
  dump.webhookendpoints.push(endpoint)
  dump.wallets.push({ _id: '22999999', phone: '22999999', businessId: null, balance: 495 })
  const paid = addIntent(dump, 'PAID', 1)
  addEvent(dump, paid, 'payment.created', 1)
  Object.assign(paid, {
    status: 'PAID',
    cancelsAt: null,
    payment: paymentBy('simulation', idOf('simulation'), 5),
  })
  addEvent(dump, paid, 'payment.confirmed', 5)
  const returnedFees = { providerTtc: 4, payerTtc: 2 }
  const refund = { id: 'RF-AAAAAAAAAAAAAAAA', amount: 200, returnedFees }
  const refundTimes = { createdAt: at(8), refundedAt: at(8), validUntil: at(14) }
  paid.refunds.push({ ...refund, status: 'SUCCEEDED', reason: null, ...refundTimes })
  const feesReturned = { ...returnedFees }
  Object.assign(paid, { status: 'REFUNDED', refundsCommitted: 200, feesReturned, updatedAt: at(8) })
  addEvent(dump, paid, 'payment.refunded', 8, refund)
  const cancelled = addIntent(dump, 'CANCELLED', 2)
  addEvent(dump, cancelled, 'payment.created', 2)
  cancel(cancelled, 'requested_by_merchant', 6)
  addEvent(dump, cancelled, 'payment.cancelled', 6)
  const expired = addIntent(dump, 'EXPIRED', 3)
  addEvent(dump, expired, 'payment.created', 3)
  cancel(expired, 'expired', 33)
  addEvent(dump, expired, 'payment.expired', 33)
  const byWallet = addIntent(dump, 'WALLET', 4)
  addEvent(dump, byWallet, 'payment.created', 4)
  const payment = paymentBy('sandbox', idOf('payment'), 9)
  Object.assign(byWallet, { status: 'PAID', cancelsAt: null, payment, updatedAt: at(9) })
  const movement = { kind: 'payment', amount: 500, fee: 5, result: { outcome: 'done' } } as const
  dump.walletmovements.push({ _id: payment.key, accountId: '22999999', ...movement })
  addEvent(dump, byWallet, 'payment.confirmed', 9)
  sell(dump)
  replay(dump)
  support(dump)
  return { dump, paid, cancelled, expired, byWallet }
}

export const cancel = (intent: IntentDocument, cancellationReason: string, seconds: number): unknown =>
  Object.assign(intent, { status: 'CANCELLED', cancelsAt: 0, cancellationReason, updatedAt: at(seconds) })

const paymentBy = (wallet: string, key: string, seconds: number) => {
  return { amountPaid: 500, paidAt: at(seconds), payerPhone, wallet, key, commission: commission() }
}

export function addIntent(dump: Documents, name: string, seconds: number): IntentDocument {
  const number = dump.intents.length
  const intent: IntentDocument = {
    ...owned,
    _id: idOf(name),
    referenceNumber: `PI-${name.padEnd(16, 'X')}`,
    merchantReference: name,
    shortCode: `ABCDE${number + 2}`,
    code: String(100_000 + number),
    ...{ amountType: 'FIXED', amount: 500, metadata: [], status: 'PENDING', cancellationReason: null },
    ...{ payment: null, hold: null, failure: null, attempts: [], refunds: [], refundsCommitted: 0 },
    ...{ feesReturned: { providerTtc: 0, payerTtc: 0 }, cancelsAt: at(seconds + 30), outbox: [] },
    ...{ codeExpiresAt: at(seconds + 20), codeReusableAt: at(seconds + 920), expiresAt: at(seconds + 30) },
    ...{ createdAt: at(seconds), updatedAt: at(seconds) },
  }
  dump.intents.push(intent)
  return intent
}

function addEvent(
  dump: Documents,
  { referenceNumber, merchantReference, status, payment }: IntentDocument,
  event: string,
  seconds: number,
  refund?: NonNullable<DeliveryDocument['facts']['refund']>,
): void {
  const eventId = idOf(`event-${dump.deliveries.length}`)
  const paid = payment && { paidAt: payment.paidAt, payerPhone, commission: commission() }
  const facts = { status, amount: 500, ...paid, ...(refund && { refund }) }
  const attempts = [
    { at: at(seconds + 0.1), durationMs: 20, status: 500 },
    { at: at(seconds + 1.2), durationMs: 20, status: 200 },
  ]
  dump.deliveries.push({
    ...{ ...owned, _id: Buffer.from(eventId + endpointId, 'hex').toString('base64url') },
    ...{ eventId, endpointId, event, referenceNumber, facts },
    ...{ status: 'DELIVERED', attempts: 2, requeues: 0, nextAttemptAt: null, leaseToken: null, deadAt: null },
    ...{ attemptLog: attempts, createdAt: at(seconds + 0.05), deliveredAt: at(seconds + 1.22) },
  })
  logEvent(dump, eventId, { event, referenceNumber, facts, createdAt: at(seconds) })
  const of = { referenceNumber, merchantReference, occurredAt: at(seconds) }
  if (event === 'payment.confirmed') {
    book(dump, eventId, 'payment', 500, { ...of, payerPhone, commission: commission() })
    book(dump, `${eventId}-fee`, 'fee', -10, of)
  }
  if (refund === undefined) return
  const { id: refundId, amount, returnedFees } = refund
  const more = { payerPhone, returnedFees, reason: null, startedAt: at(seconds) }
  book(dump, eventId, 'refund', -amount, { ...of, refundId, ...more })
  book(dump, `${eventId}-fee`, 'fee', returnedFees.providerTtc, { ...of, refundId })
}

type Logged = Pick<EventDocument, 'event' | 'referenceNumber' | 'facts' | 'createdAt'>

export function logEvent(dump: Documents, _id: string, given: Logged): void {
  dump.events.push({
    ...owned,
    _id,
    number: dump.events.length + 1,
    loggedAt: given.createdAt + 20,
    ...given,
  })
}

export function book(
  dump: Documents,
  _id: string,
  type: 'payment' | 'refund' | 'fee',
  amount: number,
  given: Partial<LedgerDocument>,
): void {
  const after = stateAfter(dump.ledgerentries.at(-1)?.after ?? noEntries(), type, amount)
  const positions = { position: after.entries, typePosition: after.byType[type] }
  const number = dump.ledgerentries.length + 1
  const time = { bookedAt: at(20), day: iso(0).slice(0, 10) }
  dump.ledgerentries.push({ ...owned, ...time, _id, number, type, amount, ...positions, after, ...given })
}

function sell(dump: Documents): void {
  const variants = [{ _id: idOf('variant'), label: 'Default', price: 7, stock: 12 }]
  const product = { ...owned, _id: idOf('product'), name: shop.marker, handle: idOf('product'), variants }
  const imported = [{ _id: idOf('imported-v'), label: 'Default', price: 4, stock: 9 }]
  const made = { ...product, deletedAt: null, createdAt: at(-5) }
  dump.products.push(made, { ...made, _id: idOf('imported'), handle: 'tea', variants: imported })
  const line = { productId: product._id, variantId: idOf('variant'), unitPrice: 7, quantity: 3, total: 21 }
  const order = { ...owned, _id: idOf('order'), number: 'OR-XXXXXXXXXXXXXXXX', createdAt: at(11), outbox: [] }
  dump.orders.push({ ...order, items: [line], total: 21, status: 'PLACED' } satisfies OrderDocument)
  const facts = { status: 'PLACED' }
  logEvent(dump, idOf('event-order'), {
    event: 'order.new',
    referenceNumber: order.number,
    facts,
    createdAt: at(11),
  })
}

function support(dump: Documents): void {
  const actor = { kind: 'staff', name: 'aicha' }
  const [delivery] = dump.deliveries as [DeliveryDocument]
  delivery.requeues = 1
  const opened = { act: 'wallet.created', subject: payerPhone, after: { balance: 1000 } }
  dump.auditevents.push(
    { _id: idOf('line-1'), at: at(12), actor, act: 'staff.signed-in', subject: 'aicha' },
    { _id: idOf('line-w'), at: at(0), actor, ...opened },
    { _id: idOf('line-2'), at: at(1.95), actor, act: 'delivery.requeued', subject: delivery._id },
  )
}

function replay(dump: Documents): void {
  const _id = idOf('replay')
  const selection = { from: at(0), to: at(4), events: ['payment.created'], through: 9, onlyUndelivered: true }
  const counts = { total: 4, requeued: 0, created: 0, skipped: 4 }
  const done = {
    status: 'DONE',
    cancellationReason: null,
    nextRunAt: null,
    createdAt: at(45),
    finishedAt: at(46),
  } as const
  dump.webhookreplays.push({ ...owned, _id, endpointId, ...selection, ...counts, ...done })
  const actor = { kind: 'key', name: shop.key }
  const line = { at: at(45), actor, act: 'endpoint.replayed', subject: endpointId, after: { replayId: _id } }
  dump.auditevents.push({ _id: idOf('line-3'), ...line })
}
