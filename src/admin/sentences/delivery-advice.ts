import type { Locale } from '../../checkout/locale.ts'
import type { ListedDelivery, TracedEndpoint } from '../../webhooks/deliveries/look-up.ts'
import { lastUrl } from '../../webhooks/deliveries/present.ts'
import { untried } from '../../webhooks/endpoints/endpoint.ts'
import { type Advice, adviceFrom } from './advice.ts'
import { type DeliveryFacts, deliverySentences } from './delivery-sentences.ts'
import { causeOf, endpointFacts, endpointStateOf } from './endpoint-advice.ts'

/** Returns the words for the state of a delivery. `endpoint` is undefined if it no longer exists. */
export const deliveryAdvice = (delivery: ListedDelivery, endpoint: TracedEndpoint | undefined): Advice =>
  adviceFrom(deliverySentences[delivery.status][endpointStateOf(endpoint)], (locale) =>
    factsIn(locale, delivery, endpoint),
  )

function factsIn(locale: Locale, delivery: ListedDelivery, endpoint: TracedEndpoint | undefined): DeliveryFacts {
  const { _id, event, referenceNumber, nextAttemptAt, deliveredAt, attemptLog } = delivery
  const moment = (at: Date | null) => (at === null ? '' : locale.moment(at))
  const source = endpoint ?? { url: lastUrl(delivery), deletedAt: null, health: untried }
  return {
    ...endpointFacts(locale, source),
    event,
    reference: referenceNumber,
    id: _id,
    lastError: causeOf(locale, attemptLog.at(-1) ?? { stage: null, status: null }),
    dead:
      locale.code === 'fr'
        ? `le webhook ${event} pour ${referenceNumber}`
        : `the webhook ${event} for ${referenceNumber}`,
    nextAttemptAt: moment(nextAttemptAt),
    deliveredAt: moment(deliveredAt),
  }
}
