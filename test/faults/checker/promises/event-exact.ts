import type { DeliveryDocument } from '../documents.ts'
import type { Broken, Judge, Round } from '../round.ts'
import { groupsOf, repeatedOf } from '../views/groups.ts'
import { handingOn } from '../views/handing-on.ts'
import { type Due, eventsOf, eventsOfOrder, mostAttempts } from '../views/history.ts'
import type { Past } from '../views/subscriptions.ts'
import type { Span } from '../views/times.ts'

/**
 * Exactly the events that a history asks for: none without what it tells of, none missing, none twice; and of each, one delivery to
 * each endpoint that was subscribed.
 */
export const eventExact: Judge = function* (round) {
  const handedOnBy = handingOn(round)
  const byBusiness = groupsOf(round.dump.webhookendpoints, ({ businessId }) => businessId)
  const sources = [
    ...round.dump.intents.map((intent) => ({
      ...intent,
      due: eventsOf(intent),
      isWhole: intent.attempts.length < mostAttempts,
    })),
    ...round.dump.orders
      .filter(({ status }) => status === 'PLACED')
      .map((order) => ({
        ...order,
        referenceNumber: order.number,
        due: eventsOfOrder(order),
        isWhole: true,
      })),
  ]
  for (const { referenceNumber, businessId, due, isWhole, ...made } of sources) {
    const deliveries = round.deliveriesOf.get(referenceNumber) ?? []
    yield* noneElse(referenceNumber, due, isWhole, deliveries)
    // Old deliveries may have gone before it, where something kept it.
    const mayLack = round.mayBeCleaned(made)
    for (const { _id } of byBusiness.get(businessId) ?? []) {
      const mine = deliveries.filter(({ endpointId }) => endpointId === _id)
      const past = round.pasts.get(_id)
      const endpoint = past === undefined ? null : { id: _id, past, mayLack, handedOnBy }
      if (endpoint !== null) yield* eachOne(round, referenceNumber, due, mine, endpoint)
    }
  }
  yield* orphans(round, new Set(sources.map(({ referenceNumber }) => referenceNumber)))
}

/** No event but those, and none of them twice. */
function* noneElse(
  of: string,
  due: Due[],
  isWhole: boolean,
  deliveries: DeliveryDocument[],
): Generator<Broken> {
  const events = groupsOf(deliveries, ({ eventId }) => eventId)
  const left = [...due]
  for (const [eventId, [first]] of events) {
    const told = toldBy(first as DeliveryDocument)
    const index = left.findIndex((each) => isOf(told, each))
    if (index >= 0) left.splice(index, 1)
    else if (isWhole || told.event !== 'payment.failed')
      yield {
        of,
        says: `event ${eventId} tells ${told.event} ${told.refund ?? told.status}, and nothing such happened, or it was told before`,
      }
  }
  for (const again of repeatedOf(deliveries, ({ eventId, endpointId }) => `${eventId} ${endpointId}`))
    yield { of, says: `delivery ${again._id} is a second one of event ${again.eventId} to the same endpoint` }
  for (const [eventId, some] of events)
    if (
      new Set(some.map(({ body }) => JSON.stringify((JSON.parse(body) as { data: unknown }).data))).size > 1
    )
      yield { of, says: `event ${eventId} tells its endpoints different things` }
}

interface Told {
  event: string
  status: string
  refund: string | null
}

function toldBy({ event, body }: DeliveryDocument): Told {
  const { data } = JSON.parse(body) as { data: { status: string; refund?: { id: string } } }
  return { event, status: data.status, refund: data.refund?.id ?? null }
}

const isOf = (told: Told, due: Due): boolean =>
  told.event === due.event && told.status === due.status && told.refund === due.refund

const marginMs = 2_000

/** An endpoint, and what is known of when it was told. */
interface Endpoint {
  id: string
  past: Past
  mayLack: boolean
  handedOnBy(happened: Span): number
}

function* eachOne(
  round: Round,
  of: string,
  due: Due[],
  mine: DeliveryDocument[],
  { id, past, mayLack, handedOnBy }: Endpoint,
): Generator<Broken> {
  const left = [...mine]
  for (const one of due) {
    const index = left.findIndex((delivery) => isOf(toldBy(delivery), one))
    const delivery = index >= 0 ? left.splice(index, 1)[0] : undefined
    const happened = round.times.machineTime(one.at ?? round.intentOf.get(of)?.createdAt ?? 0)
    const skewMs = round.times.skewAround(happened)
    const from = happened.from - marginMs - skewMs
    if (delivery === undefined) {
      // Who did not want it when it happened need not be asked about later.
      const mayBeDue = !mayLack && past.subscribed(one.event, { from, to: from }).always
      if (mayBeDue && past.subscribed(one.event, { from, to: handedOnBy(happened) }).always)
        yield { of, says: `endpoint ${id} was subscribed to ${one.event}, and has no delivery of it` }
      continue
    }
    const handedOn = round.times.machineTime(delivery.createdAt)
    const to = handedOn.to + marginMs + Math.max(skewMs, round.times.skewAround(handedOn))
    if (!past.subscribed(one.event, { from, to }).ever)
      yield {
        of,
        says: `endpoint ${id} was not subscribed to ${one.event}, and has delivery ${delivery._id}`,
      }
  }
}

/** A delivery tells of something that is there. */
function* orphans({ dump }: Round, sources: Set<string>): Generator<Broken> {
  for (const { referenceNumber: of, event, _id } of dump.deliveries)
    if (!sources.has(of)) yield { of, says: `delivery ${_id} tells ${event} of it, and it is not there` }
}
