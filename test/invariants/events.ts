import { isDeepStrictEqual } from 'node:util'
import type { Check, Circumstances, Findings, Stored } from './check.ts'
import type { EventDocument, IntentDocument, OutboxEvent, Owner } from './documents.ts'
import { groupsOf } from './groups.ts'

type Due = { event: string; status: string; refund?: string }

/** An intent or order with its due events. `isWhole`: the document still has all of them. */
export interface Source extends Owner {
  referenceNumber: string
  createdAt: number
  outbox: OutboxEvent[]
  due: Due[]
  isWhole: boolean
  intent?: IntentDocument
}

const maxAttempts = 50

const sourcesIn = ({ intents, orders }: Stored): Map<string, Source> =>
  new Map(
    [
      ...intents.map((intent): Source => {
        return { ...intent, due: eventsOf(intent), isWhole: intent.attempts.length < maxAttempts, intent }
      }),
      ...orders.map((order): Source => {
        const due = [{ event: 'order.new', status: 'PLACED' }]
        return { ...order, referenceNumber: order.number, due, isWhole: true }
      }),
    ].map((source) => [source.referenceNumber, source]),
  )

/** SPEC 6.1 */
function eventsOf({ attempts, payment, refunds, cancellationReason }: IntentDocument): Due[] {
  const failed = attempts.filter(
    ({ kind, outcome }) => kind === 'payment' && ['declined', 'failed'].includes(outcome),
  )
  const refunded = refunds.filter(({ status }) => status === 'SUCCEEDED')
  const cancelled = cancellationReason === 'expired' ? 'payment.expired' : 'payment.cancelled'
  return [
    { event: 'payment.created', status: 'PENDING' },
    ...failed.map(({ outcome }) => {
      return { event: 'payment.failed', status: outcome === 'failed' ? 'FAILED' : 'PENDING' }
    }),
    ...(payment === null ? [] : [{ event: 'payment.confirmed', status: 'PAID' }]),
    ...refunded.map(({ id }) => ({ event: 'payment.refunded', status: 'REFUNDED', refund: id })),
    ...(cancellationReason === null ? [] : [{ event: cancelled, status: 'CANCELLED' }]),
  ]
}

/** Comes from the log or an outbox. `isRelayed`: it's in no outbox any more, so all of its effects are there. */
export interface Reported extends Owner, Pick<EventDocument, 'event' | 'facts' | 'createdAt'> {
  id: string
  referenceNumber: string
  isRelayed: boolean
}

/** Each event once, although it's in an outbox and in the log while it is relayed. */
export function reportedIn(stored: Stored): { sources: Map<string, Source>; events: Map<string, Reported> } {
  const sources = sourcesIn(stored)
  const events = new Map<string, Reported>()
  for (const each of stored.events)
    if (each.event !== 'cleaned') events.set(each._id, { ...each, id: each._id, isRelayed: true })
  for (const source of [
    ...sources.values(),
    ...stored.webhookendpoints.map((each) => ({ ...each, referenceNumber: each._id })),
  ])
    for (const each of source.outbox) {
      const { businessId, referenceNumber, sandbox } = source
      events.set(each.id, { businessId, sandbox, referenceNumber, ...each, isRelayed: false })
    }
  return { sources, events }
}

export const isSame = (one: Owner, other: Owner): boolean =>
  one.businessId === other.businessId && one.sandbox === other.sandbox
export const wordsOf = ({ businessId, sandbox }: Owner): string =>
  `${businessId} ${sandbox ? 'test' : 'live'}`
export const isOld = ({ sandbox, createdAt }: { sandbox: boolean; createdAt: number }, at: Circumstances) =>
  sandbox && createdAt < at.cleanedBefore

export const eventsOnce: Check = function* (stored, circumstances) {
  const { sources, events } = reportedIn(stored)
  const byReference = groupsOf(events.values(), ({ referenceNumber }) => referenceNumber)
  for (const source of sources.values()) {
    const { referenceNumber, isWhole, outbox } = source
    if (new Set(outbox.map(({ id }) => id)).size < outbox.length)
      yield [referenceNumber, 'has an event in its outbox twice']
    const missing = [...source.due]
    for (const one of byReference.get(referenceNumber) ?? []) {
      const { id, event } = one
      if (!takeDue(missing, one) && (isWhole || event !== 'payment.failed'))
        yield [referenceNumber, `${event} (${id}) did not happen, or not twice`]
      if (!isSame(one, source)) yield [referenceNumber, `${id} is an event of ${wordsOf(one)}`]
      yield* exact(one, source)
    }
    if (isOld(source, circumstances)) continue
    for (const { event } of missing) yield [referenceNumber, `${event} is in no outbox and not in the log`]
  }
  for (const { id, event, referenceNumber, sandbox } of events.values())
    if (
      !sources.has(referenceNumber) &&
      !event.startsWith('endpoint.') &&
      !(sandbox && circumstances.isCleaned)
    )
      yield [referenceNumber, `does not exist, and ${event} (${id}) is of it`]
}

function takeDue(due: Due[], { event, facts }: Reported): boolean {
  const index = due.findIndex(
    (each) => event === each.event && facts.status === each.status && facts.refund?.id === each.refund,
  )
  if (index >= 0) due.splice(index, 1)
  return index >= 0
}

function* exact({ id, event, facts, createdAt }: Reported, { referenceNumber, intent }: Source): Findings {
  const { payment, refunds = [] } = intent ?? {}
  if (event !== 'payment.confirmed' && event !== 'payment.refunded') return
  const paid = { amount: payment?.amountPaid, paidAt: payment?.paidAt, payerPhone: payment?.payerPhone }
  const { amount, paidAt, payerPhone, commission, refund } = facts
  if (!isDeepStrictEqual([{ amount, paidAt, payerPhone }, commission], [paid, payment?.commission]))
    yield [referenceNumber, `${event} (${id}) reports another payment`]
  if (event === 'payment.confirmed' && createdAt !== payment?.paidAt)
    yield [referenceNumber, `${event} (${id}) happened at another time`]
  const own = refunds.find((each) => each.id === refund?.id)
  const isRefund = isDeepStrictEqual(
    [own?.amount, own?.returnedFees, own?.reason ?? null, own?.refundedAt],
    [refund?.amount, refund?.returnedFees, refund?.reason ?? null, createdAt],
  )
  if (event === 'payment.refunded' && !isRefund)
    yield [referenceNumber, `${event} (${id}) reports another refund`]
}

export const eventLog: Check = function* ({ events }, { isCleaned }) {
  for (const [owner, own] of groupsOf(events, wordsOf)) {
    let last = 0
    for (const { number } of own.toSorted((one, other) => one.number - other.number)) {
      if (number === last || (number > last + 1 && !(isCleaned && own[0]?.sandbox === true)))
        yield [`the log of ${owner}`, `event ${number} follows event ${last}`]
      last = number
    }
  }
}
