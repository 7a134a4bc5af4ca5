import type { FailureStage } from '../../../schemas/responses/webhooks.ts'
import { ltrText } from '../../checkout/layout.ts'
import type { Locale } from '../../checkout/locale.ts'
import type { AttemptRecord } from '../../webhooks/deliveries/delivery.ts'
import type { TracedEndpoint } from '../../webhooks/deliveries/look-up.ts'
import { entryNamed } from '../paths.ts'
import { type Advice, adviceFrom, type CallerText, type Sentences } from './advice.ts'

/** An endpoint that no longer exists counts as deleted. */
export function endpointStateOf(endpoint: TracedEndpoint | undefined): EndpointState {
  if (endpoint === undefined || endpoint.deletedAt !== null) return 'deleted'
  if (!endpoint.active) return 'disabled'
  const { failuresInRow, lastSuccessAt } = endpoint.health
  if (failuresInRow > 0) return 'failing'
  return lastSuccessAt === null ? 'unused' : 'healthy'
}

export const endpointAdvice = (endpoint: TracedEndpoint): Advice => adviceOf(endpointSentences, endpoint)

export const deadAdvice = (endpoint: TracedEndpoint): Advice => adviceOf(deadSentences, endpoint)

const adviceOf = (
  sentences: Record<EndpointState, Sentences<EndpointFacts>>,
  endpoint: TracedEndpoint,
): Advice => adviceFrom(sentences[endpointStateOf(endpoint)], (locale) => endpointFacts(locale, endpoint))

export function endpointFacts(
  locale: Locale,
  { url, deletedAt, health }: Pick<TracedEndpoint, 'url' | 'deletedAt' | 'health'>,
) {
  const moment = (at: Date | null) => (at === null ? '' : locale.moment(at))
  const { lastSuccessAt, lastFailureAt, lastError: stage, lastStatus: status } = health
  return {
    host: ltrText(locale, URL.parse(url)?.host ?? url),
    lastSuccessAt: moment(lastSuccessAt),
    lastFailureAt: moment(lastFailureAt),
    deletedAt: deletedAt === null ? '' : ` ${on[locale.code]} ${moment(deletedAt)}`,
    lastError: causeOf(locale, { stage, status }),
    /** The dead deliveries in question, such as `some webhooks`, in French with the preposition before them. */
    dead: someWebhooks[locale.code],
  }
}

const on: CallerText = { en: 'on', fr: 'le', ar: 'بتاريخ' }
const someWebhooks: CallerText = {
  en: 'some webhooks',
  fr: 'de certains webhooks',
  ar: 'بعض إشعارات webhook',
}

const causes: Record<FailureStage, CallerText> = {
  status: {
    en: 'the server returned an error',
    fr: 'le serveur a renvoyé une erreur',
    ar: 'أعاد الخادم خطأً',
  },
  dns: {
    en: 'the host name could not be resolved',
    fr: 'le nom de domaine est introuvable',
    ar: 'تعذّر العثور على اسم النطاق',
  },
  address: {
    en: 'the IP address is not public',
    fr: 'l’adresse IP n’est pas publique',
    ar: 'عنوان IP ليس عنوانًا عامًا',
  },
  connect: {
    en: 'the server could not be reached',
    fr: 'le serveur est injoignable',
    ar: 'تعذّر الوصول إلى الخادم',
  },
  refused: { en: 'the connection was refused', fr: 'la connexion a été refusée', ar: 'رُفض الاتصال' },
  tls: { en: 'the TLS connection failed', fr: 'la connexion TLS a échoué', ar: 'فشل اتصال TLS' },
  timeout: {
    en: 'the response did not arrive in time',
    fr: 'la réponse n’est pas arrivée à temps',
    ar: 'لم يصل الرد في الوقت المحدد',
  },
  closed: {
    en: 'the connection was closed too early',
    fr: 'la connexion a été coupée trop tôt',
    ar: 'قُطع الاتصال قبل الأوان',
  },
  protocol: {
    en: 'the response was not valid HTTP',
    fr: 'la réponse n’était pas une réponse HTTP valide',
    ar: 'لم يكن الرد متوافقًا مع HTTP',
  },
  too_large: {
    en: 'the headers of the response were too large',
    fr: 'les en-têtes de la réponse étaient trop volumineux',
    ar: 'كانت ترويسات الرد كبيرة جدًا',
  },
}
const unknownCause: CallerText = {
  en: 'the attempt failed',
  fr: 'la tentative a échoué',
  ar: 'فشلت المحاولة',
}

/** The status if there is one, because it tells the merchant more than the stage. */
export function causeOf(
  { code }: Locale,
  { stage, status }: Pick<AttemptRecord, 'stage' | 'status'>,
): string {
  if (status !== null) return `${responded[code]} ${status}`
  return (entryNamed(causes, stage) ?? unknownCause)[code]
}

const responded: CallerText = {
  en: 'the server responded with status',
  fr: 'le serveur a répondu avec le statut',
  ar: 'رد الخادم برمز الحالة',
}

/** States in which a caller must hear something different. */
export type EndpointState = 'unused' | 'healthy' | 'failing' | 'disabled' | 'deleted'

type EndpointFacts = ReturnType<typeof endpointFacts>
type Words = Record<EndpointState, Sentences<EndpointFacts>>

const missed =
  'Events that happen while no active endpoint is subscribed to them are not sent later by themselves. They can be replayed to an active endpoint.'

/** The caller is the merchant. */
export const endpointSentences: Words = {
  unused: {
    happened: () => 'The endpoint is active. No delivery attempt has ended yet.',
    next: () => 'Events to which the endpoint is subscribed are sent as they happen.',
    en: ({ host }) =>
      `Your webhook URL (${host}) is active, but we have not sent anything to it yet. Check which events it is subscribed to.`,
    fr: ({ host }) =>
      `Votre URL de webhook (${host}) est active, mais nous ne lui avons encore rien envoyé. Vérifiez à quels événements elle est abonnée.`,
    ar: ({ host }) =>
      `رابط webhook الخاص بك (${host}) مفعّل، لكننا لم نرسل إليه أي شيء بعد. تحقق من الأحداث التي اشترك فيها.`,
  },
  healthy: {
    happened: ({ lastSuccessAt }) =>
      `The endpoint is active, and its last attempt succeeded on ${lastSuccessAt}.`,
    next: () => 'Events to which the endpoint is subscribed are sent as they happen.',
    en: ({ host, lastSuccessAt }) =>
      `Your webhook URL (${host}) works. It accepted our last webhook on ${lastSuccessAt}.`,
    fr: ({ host, lastSuccessAt }) =>
      `Votre URL de webhook (${host}) fonctionne. Elle a accepté notre dernier webhook le ${lastSuccessAt}.`,
    ar: ({ host, lastSuccessAt }) =>
      `رابط webhook الخاص بك (${host}) يعمل. وقد قبِل آخر إشعار أرسلناه بتاريخ ${lastSuccessAt}.`,
  },
  failing: {
    happened: ({ lastFailureAt, lastError }) =>
      `The endpoint is active, but its last attempt failed on ${lastFailureAt}: ${lastError}.`,
    next: () =>
      'Each delivery gets up to eight attempts, at growing intervals. A delivery whose eight attempts fail becomes dead. The merchant must fix the server.',
    en: ({ host, lastFailureAt, lastError }) =>
      `Your server at ${host} did not accept our last webhook, on ${lastFailureAt}. The last error was: ${lastError}. Please fix it. We make up to eight attempts per webhook.`,
    fr: ({ host, lastFailureAt, lastError }) =>
      `Votre serveur (${host}) n’a pas accepté notre dernier webhook, le ${lastFailureAt}. Dernière erreur constatée\u00a0: ${lastError}. Merci de corriger le problème. Nous effectuons jusqu’à huit tentatives pour chaque webhook.`,
    ar: ({ host, lastFailureAt, lastError }) =>
      `لم يقبل خادمك (${host}) آخر إشعار webhook بتاريخ ${lastFailureAt}. آخر خطأ: ${lastError}. أصلح المشكلة. نجري حتى ثماني محاولات لكل إشعار.`,
  },
  disabled: {
    happened: () =>
      'The merchant disabled the endpoint, so nothing is sent to it. Its due deliveries are cancelled.',
    next: () => `Endpoint disabled. Once the merchant has enabled it, re-queue the delivery. ${missed}`,
    en: ({ host }) =>
      `Your webhook URL (${host}) is disabled, so we send nothing to it. Enable it with the API. Then we can send the cancelled and failed webhooks again, and also the events since it was disabled.`,
    fr: ({ host }) =>
      `Votre URL de webhook (${host}) est désactivée\u00a0: nous ne lui envoyons rien. Réactivez-la via l’API. Nous pourrons ensuite renvoyer les webhooks annulés ou en échec, ainsi que les événements survenus depuis la désactivation.`,
    ar: ({ host }) =>
      `رابط webhook الخاص بك (${host}) معطّل، لذلك لا نرسل إليه شيئًا. فعّله عبر واجهة API، ثم يمكننا إعادة إرسال الإشعارات الملغاة أو الفاشلة، وكذلك الأحداث التي وقعت منذ تعطيله.`,
  },
  deleted: {
    happened: ({ deletedAt }) =>
      `The merchant deleted the endpoint${deletedAt}. Its open deliveries are cancelled.`,
    next: () =>
      `Nothing can be re-queued for a deleted endpoint. The merchant can create a new endpoint. ${missed}`,
    en: ({ host, deletedAt }) =>
      `Your webhook URL (${host}) was deleted${deletedAt}, so we can no longer send anything to it. Create a new one with the API. Then we can also send the past events to it.`,
    fr: ({ host, deletedAt }) =>
      `Votre URL de webhook (${host}) a été supprimée${deletedAt}\u00a0: nous ne pouvons plus rien lui envoyer. Créez-en une nouvelle via l’API. Nous pourrons ensuite y envoyer aussi les événements passés.`,
    ar: ({ host, deletedAt }) =>
      `حُذف رابط webhook الخاص بك (${host})${deletedAt}، لذلك لم يعد بإمكاننا أن نرسل إليه شيئًا. أنشئ رابطًا جديدًا عبر واجهة API، ثم يمكننا أن نرسل إليه الأحداث السابقة أيضًا.`,
  },
}

const allFailed = "All attempts failed. The service won't try again on its own."
const cannotRequeue = 'The deliveries cannot be re-queued.'
const stopped = ({ dead, host }: EndpointFacts) =>
  `All attempts to send ${dead} to ${host} failed, so we stopped.`
const stoppedFr = ({ dead, host }: EndpointFacts) =>
  `Toutes nos tentatives d’envoi ${dead} à ${host} ont échoué\u202f; nous avons donc cessé les envois.`
const stoppedAr = ({ dead, host }: EndpointFacts) =>
  `فشلت جميع محاولاتنا لإرسال ${dead} إلى ${host}، فأوقفنا الإرسال.`
const accepting: Sentences<EndpointFacts> = {
  happened: () => allFailed,
  next: () => 'Re-queue the dead deliveries. Each gets one more attempt now, with the same id and content.',
  en: (facts) =>
    `${stopped(facts)} We can make another attempt now, with the same id and content. Webhooks may then arrive late and out of order.`,
  fr: (facts) =>
    `${stoppedFr(facts)} Nous pouvons faire une nouvelle tentative maintenant, avec le même identifiant et le même contenu. Les webhooks peuvent alors arriver en retard et dans le désordre.`,
  ar: (facts) =>
    `${stoppedAr(facts)} يمكننا إجراء محاولة جديدة الآن، بالمعرّف نفسه والمحتوى نفسه. وقد تصل الإشعارات حينئذ متأخرة وبغير ترتيبها.`,
}

/** About dead deliveries, by the state of their endpoint. */
export const deadSentences: Words = {
  unused: accepting,
  healthy: accepting,
  failing: {
    happened: () => allFailed,
    next: () =>
      'Wait for the merchant to fix the server, then re-queue the dead deliveries. Each gets only one more attempt.',
    en: (facts) =>
      `${stopped(facts)} The last error was: ${facts.lastError}. Once your server is fixed, call us, and we will make another attempt.`,
    fr: (facts) =>
      `${stoppedFr(facts)} Dernière erreur constatée\u00a0: ${facts.lastError}. Une fois le problème corrigé, rappelez-nous et nous ferons une nouvelle tentative.`,
    ar: (facts) =>
      `${stoppedAr(facts)} آخر خطأ: ${facts.lastError}. بعد إصلاح المشكلة، اتصل بنا وسنجري محاولة جديدة.`,
  },
  disabled: {
    happened: () => allFailed,
    next: () => 'Endpoint disabled. Once the merchant has enabled it, re-queue the delivery.',
    en: (facts) =>
      `${stopped(facts)} Your webhook URL is disabled now. Enable it with the API. Then we can make another attempt.`,
    fr: (facts) =>
      `${stoppedFr(facts)} Votre URL de webhook est maintenant désactivée. Réactivez-la via l’API. Nous pourrons ensuite faire une nouvelle tentative.`,
    ar: (facts) =>
      `${stoppedAr(facts)} رابط webhook الخاص بك معطّل الآن. فعّله عبر واجهة API، ثم يمكننا إجراء محاولة جديدة.`,
  },
  deleted: {
    happened: () => allFailed,
    next: () => `Endpoint deleted. ${cannotRequeue}`,
    en: (facts) =>
      `${stopped(facts)} Your webhook URL has been deleted since, so we cannot make another attempt. Read your payments and orders with the API.`,
    fr: (facts) =>
      `${stoppedFr(facts)} Votre URL de webhook a été supprimée depuis\u00a0: nous ne pouvons plus faire de tentative. Consultez vos paiements et commandes via l’API.`,
    ar: (facts) =>
      `${stoppedAr(facts)} وقد حُذف رابط webhook الخاص بك منذ ذلك الحين، فلا يمكننا إجراء محاولة جديدة. اطّلع على مدفوعاتك وطلبياتك عبر واجهة API.`,
  },
}

const noneWhileActive = { unused: null, healthy: null, failing: null }

/** Why deliveries to such an endpoint can't be re-queued, or null if they can. */
export const requeueRemedy: Record<EndpointState, string | null> = {
  ...noneWhileActive,
  disabled: 'Endpoint disabled. Once the merchant has enabled it, re-queue the delivery.',
  deleted: `Endpoint deleted. ${cannotRequeue} The merchant can create a new endpoint for future events.`,
}

/** Why events can't be replayed to such an endpoint, or null if they can. */
export const replayRemedy: Record<EndpointState, string | null> = {
  ...noneWhileActive,
  disabled: 'Endpoint disabled. Once the merchant has enabled it, replay the events.',
  deleted:
    'Endpoint deleted. Events cannot be replayed to it. The merchant can create a new endpoint, to which they can be replayed.',
}
