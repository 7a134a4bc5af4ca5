import { deliveryIn, type What } from '../../evidence/evidence.ts'
import { steadyEndpoints } from '../endpoints.ts'
import type { Request } from '../requests.ts'
import { dataOf, errorOf, referenceIn, type ShownIntent } from '../responses.ts'
import type { Check } from '../round.ts'
import { lateMs } from '../times.ts'

const events: Partial<Record<What, string>> = {
  create: 'payment.created',
  cancel: 'payment.cancelled',
  simulate: 'payment.confirmed',
  refund: 'payment.refunded',
}

/** Each acknowledged request has its event, and each webhook reports the facts of its event. */
export const eventReported: Check = function* (round) {
  const steady = steadyEndpoints(round)
  for (const request of round.requests) {
    const reference = referenceIn(request) ?? dataOf<ShownIntent>(request.settled)?.referenceNumber
    const intent = round.intentOf.get(reference ?? '')
    const event = eventOf(request)
    if (intent === undefined || event === null || round.mayBeCleaned(intent)) continue
    const isSubscribed = steady.some(
      (endpoint) =>
        endpoint.businessId === intent.businessId &&
        (intent.sandbox || !endpoint.sandbox) &&
        endpoint.events.includes(event) &&
        endpoint.createdAt + lateMs < intent.createdAt,
    )
    const refund = dataOf<ShownIntent>(request.settled)?.refund?.id
    const deliveries = round.deliveriesOf.get(intent.referenceNumber) ?? []
    if (isSubscribed && !deliveries.some((each) => each.event === event && each.facts.refund?.id === refund))
      yield [intent.referenceNumber, `call ${request.settled?.call} succeeded, and there is no ${event}`]
  }

  const deliveries = new Map(round.dump.deliveries.map((delivery) => [delivery._id, delivery]))
  for (const { body } of round.arrivals) {
    const delivery = deliveries.get(deliveryIn(body))
    if (delivery === undefined) continue
    const { event, sandbox, data } = JSON.parse(body)
    const { facts, referenceNumber } = delivery
    const isSame =
      event === delivery.event &&
      sandbox === delivery.sandbox &&
      data.reference_number === referenceNumber &&
      data.status === facts.status &&
      (delivery.event === 'order.new' || data.amount === (facts.amount ?? null)) &&
      data.commission?.provider_ttc === (facts.commission?.providerTtc ?? (data.commission && 0)) &&
      data.refund?.amount === facts.refund?.amount &&
      data.refund?.returned_fees.provider_ttc === facts.refund?.returnedFees.providerTtc
    if (!isSame) yield [referenceNumber, `delivery ${delivery._id} reports something else: ${body.slice(0, 300)}`]
  }
}

/** The event that the response to a request promises. */
function eventOf({ what, settled }: Request): string | null {
  if (settled === null) return null
  if (what === 'simulate' && errorOf(settled)?.code === 'PAYMENT_FAILED') return 'payment.failed'
  return (settled.status ?? 500) < 300 ? (events[what] ?? null) : null
}
