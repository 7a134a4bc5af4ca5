import type { DeliveryStatus } from '../../../schemas/deliveries.ts'
import type { Locale } from '../../checkout/locale.ts'
import type { ListedDelivery, TracedEndpoint } from '../../webhooks/deliveries/look-up.ts'
import { lastUrl } from '../../webhooks/deliveries/present.ts'
import { untried } from '../../webhooks/endpoints/endpoint.ts'
import { type Advice, adviceFrom, type Sentences } from './advice.ts'
import {
  causeOf,
  deadSentences,
  type EndpointState,
  endpointFacts,
  endpointSentences,
  endpointStateOf,
} from './endpoint-advice.ts'

/** Returns the words for the state of a delivery. `endpoint` is undefined if it no longer exists. */
export const deliveryAdvice = (delivery: ListedDelivery, endpoint: TracedEndpoint | undefined): Advice =>
  adviceFrom(deliverySentences[delivery.status][endpointStateOf(endpoint)], (locale) =>
    factsIn(locale, delivery, endpoint),
  )

/** Returns the facts of a delivery and its endpoint, as texts in one language. */
function factsIn(locale: Locale, delivery: ListedDelivery, endpoint: TracedEndpoint | undefined) {
  const { _id, event, referenceNumber, nextAttemptAt, deliveredAt, attemptLog } = delivery
  const moment = (at: Date | null) => (at === null ? '' : locale.moment(at))
  const source = endpoint ?? { url: lastUrl(delivery), deletedAt: null, health: untried }
  return {
    ...endpointFacts(locale, source),
    event,
    /** The reference of the payment or the number of the order. */
    reference: referenceNumber,
    /** The delivery's id, which is also in the body of the webhook. */
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

type DeliveryFacts = ReturnType<typeof factsIn>
type Words = Record<EndpointState, Sentences<DeliveryFacts>>

/** Returns the same sentences for every state of an active endpoint, and those about the endpoint for the others. */
const whileActive = (sentences: Sentences<DeliveryFacts>): Words => ({
  ...endpointSentences,
  unused: sentences,
  healthy: sentences,
  failing: sentences,
})

const pending: Sentences<DeliveryFacts> = {
  happened: () => 'No attempt has ended yet.',
  next: ({ nextAttemptAt }) => `The first attempt is due on ${nextAttemptAt}. If it does not start, call an operator.`,
  en: ({ event, reference, host }) => `The webhook ${event} for ${reference} is about to be sent to ${host}.`,
  fr: ({ event, reference, host }) => `Le webhook ${event} pour ${reference} va être envoyé à ${host}.`,
}

const retrying: Sentences<DeliveryFacts> = {
  happened: ({ lastError }) => `The last attempt failed: ${lastError}.`,
  next: ({ nextAttemptAt }) =>
    `The next attempt is due on ${nextAttemptAt}. If the server is repaired earlier, re-queue the delivery. After eight failed attempts, no further attempt follows.`,
  en: ({ event, reference, host, lastError, nextAttemptAt }) =>
    `Your server at ${host} did not accept the webhook ${event} for ${reference}. The cause was: ${lastError}. Our next attempt is due on ${nextAttemptAt}.`,
  fr: ({ event, reference, host, lastError, nextAttemptAt }) =>
    `Votre serveur ${host} n’a pas accepté le webhook ${event} pour ${reference}. En voici la cause : ${lastError}. Notre prochaine tentative est prévue le ${nextAttemptAt}.`,
}

const delivered: Sentences<DeliveryFacts> = {
  happened: ({ deliveredAt }) => `The endpoint accepted the delivery on ${deliveredAt}.`,
  next: () => 'Nothing more is sent. If the merchant has not processed the event, the cause is on their side.',
  en: ({ event, reference, host, deliveredAt, id }) =>
    `Your server at ${host} accepted the webhook ${event} for ${reference} on ${deliveredAt}. Search your logs for ${id}.`,
  fr: ({ event, reference, host, deliveredAt, id }) =>
    `Votre serveur ${host} a accepté le webhook ${event} pour ${reference} le ${deliveredAt}. Recherchez ${id} dans vos journaux.`,
}

const cancelled: Sentences<DeliveryFacts> = {
  happened: () => 'The delivery was cancelled because the endpoint was disabled. The endpoint is enabled again.',
  next: () => 'Re-queue the delivery. It gets one more attempt now, with the same id and content.',
  en: ({ event, reference, host }) =>
    `The webhook ${event} for ${reference} was not sent, because your address at ${host} was disabled. It is enabled again, so we can send the webhook now.`,
  fr: ({ event, reference, host }) =>
    `Le webhook ${event} pour ${reference} n’a pas été envoyé, car votre adresse sur ${host} était désactivée. Elle est de nouveau active : nous pouvons maintenant envoyer le webhook.`,
}

/** The sentences for each status of a delivery and each state of its endpoint. */
const deliverySentences: Record<DeliveryStatus, Words> = {
  PENDING: whileActive(pending),
  RETRYING: whileActive(retrying),
  DELIVERED: { ...whileActive(delivered), disabled: delivered, deleted: delivered },
  DEAD: deadSentences,
  CANCELLED: whileActive(cancelled),
}
