import type { DeliveryStatus } from '../../../schemas/deliveries.ts'
import { ltrText } from '../../checkout/layout.ts'
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

/** `endpoint` is undefined if it no longer exists. */
export const deliveryAdvice = (delivery: ListedDelivery, endpoint: TracedEndpoint | undefined): Advice =>
  adviceFrom(deliverySentences[delivery.status][endpointStateOf(endpoint)], (locale) =>
    factsIn(locale, delivery, endpoint),
  )

function factsIn(locale: Locale, delivery: ListedDelivery, endpoint: TracedEndpoint | undefined) {
  const { _id, event, referenceNumber, nextAttemptAt, deliveredAt, attemptLog } = delivery
  const moment = (at: Date | null) => (at === null ? '' : locale.moment(at))
  const source = endpoint ?? { url: lastUrl(delivery), deletedAt: null, health: untried }
  // Reference of the payment, or number of the order.
  const webhook = webhookNames[locale.code](ltrText(locale, event), ltrText(locale, referenceNumber))
  return {
    ...endpointFacts(locale, source),
    /** Such as `webhook payment.created for PI-…`. */
    webhook,
    /** The id is also in the body of the webhook. */
    id: ltrText(locale, _id),
    lastError: causeOf(locale, attemptLog.at(-1) ?? { stage: null, status: null }),
    dead: { en: `the ${webhook}`, fr: `du ${webhook}`, ar: webhook }[locale.code],
    nextAttemptAt: moment(nextAttemptAt),
    deliveredAt: moment(deliveredAt),
  }
}

/** Only Arabic needs no article. */
const webhookNames: Record<Locale['code'], (event: string, reference: string) => string> = {
  en: (event, reference) => `webhook ${event} for ${reference}`,
  fr: (event, reference) => `webhook ${event} pour ${reference}`,
  ar: (event, reference) => `إشعار webhook ${event} الخاص بالمرجع ${reference}`,
}

type DeliveryFacts = ReturnType<typeof factsIn>
type Words = Record<EndpointState, Sentences<DeliveryFacts>>

/** The same sentences for every state of an active endpoint, and those about the endpoint for the others. */
const whileActive = (sentences: Sentences<DeliveryFacts>): Words => ({
  ...endpointSentences,
  unused: sentences,
  healthy: sentences,
  failing: sentences,
})

const pending: Sentences<DeliveryFacts> = {
  happened: () => 'No attempt has ended yet.',
  next: ({ nextAttemptAt }) =>
    `The first attempt is due on ${nextAttemptAt}. If it does not start, call an operator.`,
  en: ({ webhook, host }) => `The ${webhook} is about to be sent to ${host}.`,
  fr: ({ webhook, host }) => `Le ${webhook} va être envoyé à ${host}.`,
  ar: ({ webhook, host }) => `سيُرسَل ${webhook} إلى ${host} بعد قليل.`,
}

const retrying: Sentences<DeliveryFacts> = {
  happened: ({ lastError }) => `The last attempt failed: ${lastError}.`,
  next: ({ nextAttemptAt }) =>
    `The next attempt is due on ${nextAttemptAt}. If the server is fixed earlier, re-queue the delivery. After eight failed attempts, no further attempt follows.`,
  en: ({ webhook, host, lastError, nextAttemptAt }) =>
    `Your server at ${host} did not accept the ${webhook}. The last error was: ${lastError}. Our next attempt is due on ${nextAttemptAt}.`,
  fr: ({ webhook, host, lastError, nextAttemptAt }) =>
    `Votre serveur (${host}) n’a pas accepté le ${webhook}. Dernière erreur constatée\u00a0: ${lastError}. Notre prochaine tentative est prévue le ${nextAttemptAt}.`,
  ar: ({ webhook, host, lastError, nextAttemptAt }) =>
    `لم يقبل خادمك (${host}) ${webhook}. آخر خطأ: ${lastError}. محاولتنا التالية مقررة بتاريخ ${nextAttemptAt}.`,
}

const delivered: Sentences<DeliveryFacts> = {
  happened: ({ deliveredAt }) => `The endpoint accepted the delivery on ${deliveredAt}.`,
  next: () =>
    'Nothing more is sent. If the merchant has not processed the event, the cause is on their side.',
  en: ({ webhook, host, deliveredAt, id }) =>
    `Your server at ${host} accepted the ${webhook} on ${deliveredAt}. Search your logs for ${id}.`,
  fr: ({ webhook, host, deliveredAt, id }) =>
    `Votre serveur (${host}) a accepté le ${webhook} le ${deliveredAt}. Recherchez ${id} dans vos journaux.`,
  ar: ({ webhook, host, deliveredAt, id }) =>
    `قبِل خادمك (${host}) ${webhook} بتاريخ ${deliveredAt}. ابحث عن ${id} في سجلاتك.`,
}

const cancelled: Sentences<DeliveryFacts> = {
  happened: () =>
    'The delivery was cancelled because the endpoint was disabled. The endpoint is enabled again.',
  next: () => 'Re-queue the delivery. It gets one more attempt now, with the same id and content.',
  en: ({ webhook, host }) =>
    `The ${webhook} was not sent, because your webhook URL (${host}) was disabled. It is enabled again, so we can send the webhook now.`,
  fr: ({ webhook, host }) =>
    `Le ${webhook} n’a pas été envoyé, car votre URL de webhook (${host}) était désactivée. Elle est de nouveau active\u00a0: nous pouvons maintenant envoyer le webhook.`,
  ar: ({ webhook, host }) =>
    `لم يُرسَل ${webhook} لأن رابط webhook الخاص بك (${host}) كان معطّلًا. وقد فُعّل من جديد، فيمكننا إرسال الإشعار الآن.`,
}

/** By the status of the delivery and the state of its endpoint. */
export const deliverySentences: Record<DeliveryStatus, Words> = {
  PENDING: whileActive(pending),
  RETRYING: whileActive(retrying),
  DELIVERED: { ...whileActive(delivered), disabled: delivered, deleted: delivered },
  DEAD: deadSentences,
  CANCELLED: whileActive(cancelled),
}
