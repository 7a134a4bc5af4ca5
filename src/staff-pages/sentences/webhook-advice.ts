import type { DeliveryStatus } from '../../../schemas/deliveries.ts'
import type { Locale } from '../../checkout/locale.ts'
import { isolateLtrText } from '../../http/pages/text.ts'
import type { AttemptRecord } from '../../webhooks/deliveries/delivery.ts'
import type { ListedDelivery, StaffEndpoint } from '../../webhooks/deliveries/look-up.ts'
import { deliveryUrl } from '../../webhooks/deliveries/present.ts'
import { newEndpointHealth } from '../../webhooks/endpoints/endpoint.ts'
import { failureStageWords, lookUpEntry } from '../format.ts'
import { byLanguage, type CallerAdvice, createAdvice, fillAdvice, fillTemplate } from './advice.ts'

/** An endpoint that's no longer stored counts as deleted. */
export function deriveEndpointState(endpoint: StaffEndpoint | undefined): EndpointState {
  if (endpoint === undefined || endpoint.deletedAt !== null) return 'deleted'
  if (!endpoint.active) return 'disabled'
  const { failuresInRow, lastSuccessAt } = endpoint.health
  if (failuresInRow > 0) return 'failing'
  return lastSuccessAt === null ? 'unused' : 'healthy'
}

export const endpointAdvice = (endpoint: StaffEndpoint): CallerAdvice => adviceOf(endpointSentences, endpoint)

export const deadDeliveryAdvice = (endpoint: StaffEndpoint): CallerAdvice =>
  adviceOf(deadDeliverySentences, endpoint)

const adviceOf = (all: Record<EndpointState, CallerAdvice>, endpoint: StaffEndpoint): CallerAdvice =>
  fillAdvice(all[deriveEndpointState(endpoint)], (locale) => endpointFacts(locale, endpoint))

export function endpointFacts(
  locale: Locale,
  { url, deletedAt, health }: Pick<StaffEndpoint, 'url' | 'deletedAt' | 'health'>,
) {
  const moment = (at: Date | null) => (at === null ? '' : locale.moment(at))
  const { lastSuccessAt, lastFailureAt, lastError: stage, lastStatus: status } = health
  return {
    host: isolateLtrText(locale, URL.parse(url)?.host ?? url),
    lastSuccessAt: moment(lastSuccessAt),
    lastFailureAt: moment(lastFailureAt),
    deletedAt: deletedAt === null ? '' : ` ${on[locale.code]} ${moment(deletedAt)}`,
    lastError: describeCause(locale, { stage, status }),
    /** Names the DEAD deliveries. The French text includes a preposition. */
    dead: someWebhooks[locale.code],
  }
}

const on = byLanguage('on', 'le', 'بتاريخ')
const someWebhooks = byLanguage('some webhooks', 'de certains webhooks', 'بعض إشعارات webhook')

/** The status is more useful to the merchant than the stage. */
export function describeCause(
  { code }: Locale,
  { stage, status }: Pick<AttemptRecord, 'stage' | 'status'>,
): string {
  if (status !== null) return `${responded[code]} ${status}`
  return (lookUpEntry(failureStageWords, stage) ?? unknownCause)[code]
}

const responded = byLanguage(
  'the server responded with status',
  'le serveur a répondu avec le statut',
  'رد الخادم برمز الحالة',
)
const unknownCause = byLanguage('the attempt failed', 'la tentative a échoué', 'فشلت المحاولة')

type EndpointState = 'unused' | 'healthy' | 'failing' | 'disabled' | 'deleted'

const sentAsTheyHappen = 'Events that the endpoint is subscribed to are sent as they happen.'
const requeueOnceEnabled = 'Endpoint disabled. Once the merchant has enabled it, re-queue the delivery.'
const cannotRequeue = 'The deliveries cannot be re-queued.'
const missed =
  'Events that happen while no active endpoint is subscribed to them are not sent later automatically. They can be replayed to an active endpoint.'

/** In these sentences, the caller is the merchant. */
export const endpointSentences: Record<EndpointState, CallerAdvice> = {
  unused: createAdvice(
    'The endpoint is active. No attempt has finished since it was registered, enabled or changed.',
    sentAsTheyHappen,
    'Your webhook URL ({host}) is active, but we have not sent anything to it since it was registered, enabled or changed. Check which events it is subscribed to.',
    'Votre URL de webhook ({host}) est active, mais nous ne lui avons rien envoyé depuis son enregistrement, son activation ou sa modification. Vérifiez à quels événements elle est abonnée.',
    'رابط webhook الخاص بك ({host}) مفعّل، لكننا لم نرسل إليه أي شيء منذ تسجيله أو تفعيله أو تعديله. تحقق من الأحداث التي اشترك فيها.',
  ),
  healthy: createAdvice(
    'The endpoint is active, and its last attempt succeeded on {lastSuccessAt}.',
    sentAsTheyHappen,
    'Your webhook URL ({host}) works. It accepted our last webhook on {lastSuccessAt}.',
    'Votre URL de webhook ({host}) fonctionne. Elle a accepté notre dernier webhook le {lastSuccessAt}.',
    'رابط webhook الخاص بك ({host}) يعمل. وقد قبِل آخر إشعار أرسلناه بتاريخ {lastSuccessAt}.',
  ),
  failing: createAdvice(
    'The endpoint is active, but its last attempt failed on {lastFailureAt}: {lastError}.',
    'Each delivery gets up to eight attempts, at growing intervals. If all eight fail, it becomes dead. The merchant must fix the server.',
    'Your server at {host} did not accept our last webhook, on {lastFailureAt}. The last error was: {lastError}. Please fix it. We make up to eight attempts per webhook.',
    'Votre serveur ({host}) n’a pas accepté notre dernier webhook, le {lastFailureAt}. Dernière erreur constatée\u00a0: {lastError}. Merci de corriger le problème. Nous effectuons jusqu’à huit tentatives pour chaque webhook.',
    'لم يقبل خادمك ({host}) آخر إشعار webhook بتاريخ {lastFailureAt}. آخر خطأ: {lastError}. أصلح المشكلة. نجري ما يصل إلى ثماني محاولات لكل إشعار.',
  ),
  disabled: createAdvice(
    'The merchant disabled the endpoint, so nothing is sent to it. Its due deliveries are cancelled.',
    `${requeueOnceEnabled} ${missed}`,
    'Your webhook URL ({host}) is disabled, so we send nothing to it. Enable it with the API. Then we can send the cancelled and failed webhooks, and the events since it was disabled.',
    'Votre URL de webhook ({host}) est désactivée\u00a0: nous ne lui envoyons rien. Réactivez-la via l’API. Nous pourrons ensuite renvoyer les webhooks annulés ou en échec, ainsi que les événements survenus depuis la désactivation.',
    'رابط webhook الخاص بك ({host}) معطّل، لذلك لا نرسل إليه شيئًا. فعّله عبر واجهة API، ثم يمكننا إعادة إرسال الإشعارات الملغاة أو الفاشلة، وكذلك الأحداث التي وقعت منذ تعطيله.',
  ),
  deleted: createAdvice(
    'The merchant deleted the endpoint{deletedAt}. Its open deliveries are cancelled.',
    `Nothing can be re-queued for a deleted endpoint. The merchant can create a new endpoint. ${missed}`,
    'Your webhook URL ({host}) was deleted{deletedAt}, so we can no longer send anything to it. Create a new one with the API. Then we can also send past events to it.',
    'Votre URL de webhook ({host}) a été supprimée{deletedAt}\u00a0: nous ne pouvons plus rien lui envoyer. Créez-en une nouvelle via l’API. Nous pourrons ensuite y envoyer aussi les événements passés.',
    'حُذف رابط webhook الخاص بك ({host}){deletedAt}، لذلك لم يعد بإمكاننا أن نرسل إليه شيئًا. أنشئ رابطًا جديدًا عبر واجهة API، ثم يمكننا أن نرسل إليه الأحداث السابقة أيضًا.',
  ),
}

const whileActive = <Value>(active: Value) => ({ unused: active, healthy: active, failing: active })

const allFailed = (next: string, en: string, fr: string, ar: string): CallerAdvice =>
  createAdvice(
    "All attempts failed. The service won't try again on its own.",
    next,
    `All attempts to send {dead} to {host} failed, so we stopped. ${en}`,
    `Toutes nos tentatives d’envoi {dead} à {host} ont échoué\u202f; nous avons donc cessé les envois. ${fr}`,
    `فشلت جميع محاولاتنا لإرسال {dead} إلى {host}، فأوقفنا الإرسال. ${ar}`,
  )

const accepting = allFailed(
  'Re-queue the dead deliveries. Each gets one more attempt now, with the same id and content.',
  'We can make another attempt now, with the same id and content. Webhooks may then arrive late and out of order.',
  'Nous pouvons faire une nouvelle tentative maintenant, avec le même identifiant et le même contenu. Les webhooks peuvent alors arriver en retard et dans le désordre.',
  'يمكننا إجراء محاولة جديدة الآن، بالمعرّف نفسه والمحتوى نفسه. وقد تصل الإشعارات حينئذ متأخرة وبغير ترتيبها.',
)

export const deadDeliverySentences: Record<EndpointState, CallerAdvice> = {
  ...whileActive(accepting),
  failing: allFailed(
    'Wait for the merchant to fix the server, then re-queue the dead deliveries. Each gets only one more attempt.',
    'The last error was: {lastError}. Once your server is fixed, call us, and we will make another attempt.',
    'Dernière erreur constatée\u00a0: {lastError}. Une fois le problème corrigé, rappelez-nous et nous ferons une nouvelle tentative.',
    'آخر خطأ: {lastError}. بعد إصلاح المشكلة، اتصل بنا وسنجري محاولة جديدة.',
  ),
  disabled: allFailed(
    requeueOnceEnabled,
    'Your webhook URL is disabled now. Enable it with the API. Then we can make another attempt.',
    'Votre URL de webhook est maintenant désactivée. Réactivez-la via l’API. Nous pourrons ensuite faire une nouvelle tentative.',
    'رابط webhook الخاص بك معطّل الآن. فعّله عبر واجهة API، ثم يمكننا إجراء محاولة جديدة.',
  ),
  deleted: allFailed(
    `Endpoint deleted. ${cannotRequeue}`,
    'Your webhook URL has since been deleted, so we cannot make another attempt. Read your payments and orders with the API.',
    'Votre URL de webhook a été supprimée depuis\u00a0: nous ne pouvons plus faire de tentative. Consultez vos paiements et commandes via l’API.',
    'وقد حُذف رابط webhook الخاص بك منذ ذلك الحين، فلا يمكننا إجراء محاولة جديدة. اطّلع على مدفوعاتك وطلبياتك عبر واجهة API.',
  ),
}

export const nothingRequeued =
  'Nothing was re-queued. If the endpoint is disabled, the merchant must enable it first.'

/** Says why deliveries can't be re-queued. Null means that they can. */
export const requeueRemedies: Record<EndpointState, string | null> = {
  ...whileActive(null),
  disabled: requeueOnceEnabled,
  deleted: `Endpoint deleted. ${cannotRequeue} The merchant can create a new endpoint for future events.`,
}

/** Says why events can't be replayed. Null means that they can. */
export const replayRemedies: Record<EndpointState, string | null> = {
  ...whileActive(null),
  disabled: 'Endpoint disabled. Once the merchant has enabled it, replay the events.',
  deleted:
    'Endpoint deleted. Events cannot be replayed to it. The merchant can create a new endpoint and replay the events to that.',
}

/** `endpoint` is undefined if it no longer exists. */
export const deliveryAdvice = (delivery: ListedDelivery, endpoint: StaffEndpoint | undefined): CallerAdvice =>
  fillAdvice(deliverySentences[delivery.status][deriveEndpointState(endpoint)], (locale) =>
    deliveryFacts(locale, delivery, endpoint),
  )

export function deliveryFacts(locale: Locale, delivery: ListedDelivery, endpoint: StaffEndpoint | undefined) {
  const { _id, event, referenceNumber, nextAttemptAt, deliveredAt, attemptLog } = delivery
  const moment = (at: Date | null) => (at === null ? '' : locale.moment(at))
  const source = endpoint ?? { url: deliveryUrl(delivery), deletedAt: null, health: newEndpointHealth }
  const named = { event: isolateLtrText(locale, event), reference: isolateLtrText(locale, referenceNumber) }
  const webhook = fillTemplate(webhookNames[locale.code], named)
  return {
    ...endpointFacts(locale, source),
    webhook,
    /** The id is also in the webhook's body. */
    id: isolateLtrText(locale, _id),
    lastError: describeCause(locale, attemptLog.at(-1) ?? { stage: null, status: null }),
    dead: fillTemplate(deadWebhook[locale.code], { webhook }),
    nextAttemptAt: moment(nextAttemptAt),
    deliveredAt: moment(deliveredAt),
  }
}

/** English and French sentences add the articles. */
const webhookNames = byLanguage(
  'webhook {event} for {reference}',
  'webhook {event} pour {reference}',
  'إشعار webhook {event} الخاص بالمرجع {reference}',
)
const deadWebhook = byLanguage('the {webhook}', 'du {webhook}', '{webhook}')

const open = (active: CallerAdvice) => ({ ...endpointSentences, ...whileActive(active) })

const delivered = createAdvice(
  'The endpoint accepted the delivery on {deliveredAt}.',
  'Nothing more will be sent. If the merchant has not processed the event, the problem is on their side.',
  'Your server at {host} accepted the {webhook} on {deliveredAt}. Search your logs for {id}.',
  'Votre serveur ({host}) a accepté le {webhook} le {deliveredAt}. Recherchez {id} dans vos journaux.',
  'قبِل خادمك ({host}) {webhook} بتاريخ {deliveredAt}. ابحث عن {id} في سجلاتك.',
)

export const deliverySentences: Record<DeliveryStatus, Record<EndpointState, CallerAdvice>> = {
  PENDING: open(
    createAdvice(
      'No attempt has finished yet.',
      'The first attempt is due on {nextAttemptAt}. If it does not start, call an operator.',
      'The {webhook} is about to be sent to {host}.',
      'Le {webhook} va être envoyé à {host}.',
      'سيُرسَل {webhook} إلى {host} بعد قليل.',
    ),
  ),
  RETRYING: open(
    createAdvice(
      'The last attempt failed: {lastError}.',
      'The next attempt is due on {nextAttemptAt}. If the server is fixed earlier, re-queue the delivery. After eight failed attempts, no more follow.',
      'Your server at {host} did not accept the {webhook}. The last error was: {lastError}. Our next attempt is due on {nextAttemptAt}.',
      'Votre serveur ({host}) n’a pas accepté le {webhook}. Dernière erreur constatée\u00a0: {lastError}. Notre prochaine tentative est prévue le {nextAttemptAt}.',
      'لم يقبل خادمك ({host}) {webhook}. آخر خطأ: {lastError}. محاولتنا التالية مقررة بتاريخ {nextAttemptAt}.',
    ),
  ),
  DELIVERED: { ...whileActive(delivered), disabled: delivered, deleted: delivered },
  DEAD: deadDeliverySentences,
  CANCELLED: open(
    createAdvice(
      'The delivery was cancelled because the endpoint was disabled. The endpoint is enabled again.',
      'Re-queue the delivery. It gets one more attempt now, with the same id and content.',
      'The {webhook} was not sent, because your webhook URL ({host}) was disabled. It is enabled again, so we can send the webhook now.',
      'Le {webhook} n’a pas été envoyé, car votre URL de webhook ({host}) était désactivée. Elle est de nouveau active\u00a0: nous pouvons maintenant envoyer le webhook.',
      'لم يُرسَل {webhook} لأن رابط webhook الخاص بك ({host}) كان معطّلًا. وقد فُعّل من جديد، فيمكننا إرسال الإشعار الآن.',
    ),
  ),
}
