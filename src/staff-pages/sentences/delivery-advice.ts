import type { DeliveryStatus } from '../../../schemas/deliveries.ts'
import { ltrText } from '../../checkout/layout.ts'
import type { Locale } from '../../checkout/locale.ts'
import type { ListedDelivery, TracedEndpoint } from '../../webhooks/deliveries/look-up.ts'
import { lastUrl } from '../../webhooks/deliveries/present.ts'
import { untried } from '../../webhooks/endpoints/endpoint.ts'
import { adviceFrom, fill, inEach, type Sentences, sentences } from './advice.ts'
import {
  causeOf,
  deadSentences,
  type EndpointState,
  endpointFacts,
  endpointSentences,
  endpointStateOf,
} from './endpoint-advice.ts'

/** `endpoint` is undefined if it no longer exists. */
export const deliveryAdvice = (delivery: ListedDelivery, endpoint: TracedEndpoint | undefined): Sentences =>
  adviceFrom(deliverySentences[delivery.status][endpointStateOf(endpoint)], (locale) =>
    deliveryFacts(locale, delivery, endpoint),
  )

export function deliveryFacts(
  locale: Locale,
  delivery: ListedDelivery,
  endpoint: TracedEndpoint | undefined,
) {
  const { _id, event, referenceNumber, nextAttemptAt, deliveredAt, attemptLog } = delivery
  const moment = (at: Date | null) => (at === null ? '' : locale.moment(at))
  const source = endpoint ?? { url: lastUrl(delivery), deletedAt: null, health: untried }
  // Reference of the payment, or number of the order.
  const named = { event: ltrText(locale, event), reference: ltrText(locale, referenceNumber) }
  const webhook = fill(webhookNames[locale.code], named)
  return {
    ...endpointFacts(locale, source),
    /** Such as `webhook payment.created for PI-…`. */
    webhook,
    /** The id is also in the body of the webhook. */
    id: ltrText(locale, _id),
    lastError: causeOf(locale, attemptLog.at(-1) ?? { stage: null, status: null }),
    dead: fill(deadWebhook[locale.code], { webhook }),
    nextAttemptAt: moment(nextAttemptAt),
    deliveredAt: moment(deliveredAt),
  }
}

/** Only Arabic needs no article. */
const webhookNames = inEach(
  'webhook {event} for {reference}',
  'webhook {event} pour {reference}',
  'إشعار webhook {event} الخاص بالمرجع {reference}',
)
const deadWebhook = inEach('the {webhook}', 'du {webhook}', '{webhook}')

/** The same sentences for every state of an active endpoint, and those about the endpoint for the others. */
const whileActive = (active: Sentences): Record<EndpointState, Sentences> => ({
  ...endpointSentences,
  unused: active,
  healthy: active,
  failing: active,
})

const delivered = sentences(
  'The endpoint accepted the delivery on {deliveredAt}.',
  'Nothing more is sent. If the merchant has not processed the event, the cause is on their side.',
  'Your server at {host} accepted the {webhook} on {deliveredAt}. Search your logs for {id}.',
  'Votre serveur ({host}) a accepté le {webhook} le {deliveredAt}. Recherchez {id} dans vos journaux.',
  'قبِل خادمك ({host}) {webhook} بتاريخ {deliveredAt}. ابحث عن {id} في سجلاتك.',
)

/** By the status of the delivery and the state of its endpoint. */
export const deliverySentences: Record<DeliveryStatus, Record<EndpointState, Sentences>> = {
  PENDING: whileActive(
    sentences(
      'No attempt has ended yet.',
      'The first attempt is due on {nextAttemptAt}. If it does not start, call an operator.',
      'The {webhook} is about to be sent to {host}.',
      'Le {webhook} va être envoyé à {host}.',
      'سيُرسَل {webhook} إلى {host} بعد قليل.',
    ),
  ),
  RETRYING: whileActive(
    sentences(
      'The last attempt failed: {lastError}.',
      'The next attempt is due on {nextAttemptAt}. If the server is fixed earlier, re-queue the delivery. After eight failed attempts, no further attempt follows.',
      'Your server at {host} did not accept the {webhook}. The last error was: {lastError}. Our next attempt is due on {nextAttemptAt}.',
      'Votre serveur ({host}) n’a pas accepté le {webhook}. Dernière erreur constatée\u00a0: {lastError}. Notre prochaine tentative est prévue le {nextAttemptAt}.',
      'لم يقبل خادمك ({host}) {webhook}. آخر خطأ: {lastError}. محاولتنا التالية مقررة بتاريخ {nextAttemptAt}.',
    ),
  ),
  DELIVERED: { ...whileActive(delivered), disabled: delivered, deleted: delivered },
  DEAD: deadSentences,
  CANCELLED: whileActive(
    sentences(
      'The delivery was cancelled because the endpoint was disabled. The endpoint is enabled again.',
      'Re-queue the delivery. It gets one more attempt now, with the same id and content.',
      'The {webhook} was not sent, because your webhook URL ({host}) was disabled. It is enabled again, so we can send the webhook now.',
      'Le {webhook} n’a pas été envoyé, car votre URL de webhook ({host}) était désactivée. Elle est de nouveau active\u00a0: nous pouvons maintenant envoyer le webhook.',
      'لم يُرسَل {webhook} لأن رابط webhook الخاص بك ({host}) كان معطّلًا. وقد فُعّل من جديد، فيمكننا إرسال الإشعار الآن.',
    ),
  ),
}
