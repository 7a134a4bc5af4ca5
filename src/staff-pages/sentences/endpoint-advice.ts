import type { Stage } from '../../../schemas/responses/webhooks.ts'
import type { Locale } from '../../checkout/locale.ts'
import type { AttemptRecord } from '../../webhooks/deliveries/delivery.ts'
import type { TracedEndpoint } from '../../webhooks/deliveries/look-up.ts'
import { entryNamed } from '../paths.ts'
import { type Advice, adviceFrom, type Sentences } from './advice.ts'

/** Returns the state of an endpoint. An endpoint that no longer exists counts as deleted. */
export function endpointStateOf(endpoint: TracedEndpoint | undefined): EndpointState {
  if (endpoint === undefined || endpoint.deletedAt !== null) return 'deleted'
  if (!endpoint.active) return 'disabled'
  const { failuresInRow, lastSuccessAt } = endpoint.health
  if (failuresInRow > 0) return 'failing'
  return lastSuccessAt === null ? 'unused' : 'healthy'
}

/** Returns the words for the state of an endpoint. */
export const endpointAdvice = (endpoint: TracedEndpoint): Advice => adviceOf(endpointSentences, endpoint)

/** Returns the words for the dead deliveries of an endpoint. */
export const deadAdvice = (endpoint: TracedEndpoint): Advice => adviceOf(deadSentences, endpoint)

const adviceOf = (sentences: Record<EndpointState, Sentences<EndpointFacts>>, endpoint: TracedEndpoint): Advice =>
  adviceFrom(sentences[endpointStateOf(endpoint)], (locale) => endpointFacts(locale, endpoint))

/** Returns the facts of an endpoint, as texts in one language. */
export function endpointFacts(
  locale: Locale,
  { url, deletedAt, health }: Pick<TracedEndpoint, 'url' | 'deletedAt' | 'health'>,
) {
  const moment = (at: Date | null) => (at === null ? '' : locale.moment(at))
  const { lastSuccessAt, lastFailureAt, lastError: stage, lastStatus: status } = health
  return {
    host: URL.parse(url)?.host ?? url,
    lastSuccessAt: moment(lastSuccessAt),
    lastFailureAt: moment(lastFailureAt),
    deletedAt: deletedAt === null ? '' : on(locale, deletedAt),
    /** The cause of the last failure. */
    lastError: causeOf(locale, { stage, status }),
    /** The dead deliveries in question, such as `some webhooks`. */
    dead: locale.code === 'fr' ? 'certains webhooks' : 'some webhooks',
  }
}

const on = ({ code, moment }: Locale, at: Date): string => (code === 'fr' ? ` le ${moment(at)}` : ` on ${moment(at)}`)

/** The causes of a failed attempt, in each language. */
const causes: Record<Stage, { en: string; fr: string }> = {
  status: { en: 'the response was not a success', fr: 'la réponse n’indiquait pas de succès' },
  dns: { en: 'the host name could not be resolved', fr: 'le nom de domaine est introuvable' },
  address: { en: 'the IP address is not public', fr: 'l’adresse IP n’est pas publique' },
  connect: { en: 'the server could not be reached', fr: 'le serveur est injoignable' },
  refused: { en: 'the connection was refused', fr: 'la connexion a été refusée' },
  tls: { en: 'the TLS connection failed', fr: 'la connexion TLS a échoué' },
  timeout: { en: 'the response did not arrive in time', fr: 'la réponse n’est pas arrivée à temps' },
  closed: { en: 'the connection was closed too early', fr: 'la connexion a été coupée trop tôt' },
  protocol: { en: 'the response was not valid HTTP', fr: 'la réponse n’était pas une réponse HTTP valide' },
  too_large: {
    en: 'the headers of the response were too large',
    fr: 'les en-têtes de la réponse étaient trop volumineux',
  },
}
const unknownCause = { en: 'the attempt failed', fr: 'la tentative a échoué' }

/** Returns the cause of a failed attempt: the status, which tells the merchant more, or else the stage. */
export function causeOf({ code }: Locale, { stage, status }: Pick<AttemptRecord, 'stage' | 'status'>): string {
  const language = code === 'fr' ? 'fr' : 'en'
  if (status !== null) return `${responded[language]} ${status}`
  return (entryNamed(causes, stage) ?? unknownCause)[language]
}

const responded = { en: 'the server responded with status', fr: 'le serveur a répondu avec le statut' }

/** The states of an endpoint in which a caller must hear something different. */
export type EndpointState = 'unused' | 'healthy' | 'failing' | 'disabled' | 'deleted'

type EndpointFacts = ReturnType<typeof endpointFacts>
type Words = Record<EndpointState, Sentences<EndpointFacts>>

const missed =
  'Events that happen while no active endpoint is subscribed to them are not sent later by themselves. They can be replayed to an active endpoint.'

/** The sentences for each state of an endpoint. The caller is the merchant. */
export const endpointSentences: Words = {
  unused: {
    happened: () => 'The endpoint is active. No attempt at it has ended yet.',
    next: () => 'Events to which the endpoint is subscribed are sent as they happen.',
    en: ({ host }) =>
      `Your webhook address at ${host} is active, but we have not sent anything to it yet. Check which events it is subscribed to.`,
    fr: ({ host }) =>
      `Votre adresse de webhook sur ${host} est active, mais nous ne lui avons encore rien envoyé. Vérifiez à quels événements elle est abonnée.`,
  },
  healthy: {
    happened: ({ lastSuccessAt }) => `The endpoint is active, and its last attempt succeeded on ${lastSuccessAt}.`,
    next: () => 'Events to which the endpoint is subscribed are sent as they happen.',
    en: ({ host, lastSuccessAt }) =>
      `Your webhook address at ${host} works. It accepted our last webhook on ${lastSuccessAt}.`,
    fr: ({ host, lastSuccessAt }) =>
      `Votre adresse de webhook sur ${host} fonctionne. Elle a accepté notre dernier webhook le ${lastSuccessAt}.`,
  },
  failing: {
    happened: ({ lastFailureAt, lastError }) =>
      `The endpoint is active, but its last attempt failed on ${lastFailureAt}: ${lastError}.`,
    next: () =>
      'Each delivery gets up to eight attempts, at growing intervals. A delivery whose eight attempts fail becomes dead. The merchant must repair the server.',
    en: ({ host, lastFailureAt, lastError }) =>
      `Your server at ${host} did not accept our last webhook, on ${lastFailureAt}. The cause was: ${lastError}. Please repair it. We make up to eight attempts at each webhook.`,
    fr: ({ host, lastFailureAt, lastError }) =>
      `Votre serveur ${host} n’a pas accepté notre dernier webhook, le ${lastFailureAt}. En voici la cause : ${lastError}. Veuillez le réparer. Nous faisons jusqu’à huit tentatives pour chaque webhook.`,
  },
  disabled: {
    happened: () => 'The merchant disabled the endpoint, so nothing is sent to it. Its due deliveries are cancelled.',
    next: () => `Endpoint disabled. Enable it, then re-queue the delivery. ${missed}`,
    en: ({ host }) =>
      `Your webhook address at ${host} is disabled, so we send nothing to it. Enable it with the API. Then we can send the cancelled and failed webhooks again, and also the events since it was disabled.`,
    fr: ({ host }) =>
      `Votre adresse de webhook sur ${host} est désactivée : nous ne lui envoyons rien. Réactivez-la via l’API. Nous pourrons ensuite renvoyer les webhooks annulés ou en échec, ainsi que les événements survenus depuis la désactivation.`,
  },
  deleted: {
    happened: ({ deletedAt }) => `The merchant deleted the endpoint${deletedAt}. Its open deliveries are cancelled.`,
    next: () => `Nothing can be re-queued for a deleted endpoint. The merchant can create a new endpoint. ${missed}`,
    en: ({ host, deletedAt }) =>
      `Your webhook address at ${host} was deleted${deletedAt}, so we can no longer send anything to it. Create a new one with the API. Then we can also send the past events to it.`,
    fr: ({ host, deletedAt }) =>
      `Votre adresse de webhook sur ${host} a été supprimée${deletedAt} : nous ne pouvons plus rien lui envoyer. Créez-en une nouvelle via l’API. Nous pourrons ensuite y envoyer aussi les événements passés.`,
  },
}

const allFailed = 'All attempts failed, so no further attempt follows.'
const cannotRequeue = 'The deliveries cannot be re-queued.'
const stopped = ({ dead, host }: EndpointFacts) => `All attempts to send ${dead} to ${host} failed, so we stopped.`
const stoppedFr = ({ dead, host }: EndpointFacts) =>
  `Toutes nos tentatives d’envoyer ${dead} à ${host} ont échoué, nous avons donc arrêté.`
const repaired: Sentences<EndpointFacts> = {
  happened: () => allFailed,
  next: () => 'Re-queue the dead deliveries. Each gets one more attempt now, with the same id and content.',
  en: (facts) =>
    `${stopped(facts)} We can make another attempt now, with the same id and content. Webhooks may then arrive late and out of order.`,
  fr: (facts) =>
    `${stoppedFr(facts)} Nous pouvons faire une nouvelle tentative maintenant, avec le même identifiant et le même contenu. Les webhooks peuvent alors arriver en retard et dans le désordre.`,
}

/** The sentences about the dead deliveries of an endpoint in each state. */
export const deadSentences: Words = {
  unused: repaired,
  healthy: repaired,
  failing: {
    happened: () => allFailed,
    next: () =>
      'Wait for the merchant to repair the server, then re-queue the dead deliveries. Each gets only one more attempt.',
    en: (facts) =>
      `${stopped(facts)} The last cause was: ${facts.lastError}. Once your server is repaired, call us, and we will make another attempt.`,
    fr: (facts) =>
      `${stoppedFr(facts)} La dernière cause constatée : ${facts.lastError}. Une fois votre serveur réparé, rappelez-nous et nous ferons une nouvelle tentative.`,
  },
  disabled: {
    happened: () => allFailed,
    next: () => 'Endpoint disabled. Enable it, then re-queue the delivery.',
    en: (facts) =>
      `${stopped(facts)} Your webhook address is disabled now. Enable it with the API. Then we can make another attempt.`,
    fr: (facts) =>
      `${stoppedFr(facts)} Votre adresse de webhook est maintenant désactivée. Réactivez-la via l’API. Nous pourrons ensuite faire une nouvelle tentative.`,
  },
  deleted: {
    happened: () => allFailed,
    next: () => `Endpoint deleted. ${cannotRequeue}`,
    en: (facts) =>
      `${stopped(facts)} Your webhook address has been deleted since, so we cannot make another attempt. Read your payments and orders with the API.`,
    fr: (facts) =>
      `${stoppedFr(facts)} Votre adresse de webhook a été supprimée depuis : nous ne pouvons plus faire de tentative. Consultez vos paiements et commandes via l’API.`,
  },
}

const noneWhileActive = { unused: null, healthy: null, failing: null }

/** The reason why deliveries to an endpoint in this state cannot be re-queued, or null if they can. */
export const requeueRemedy: Record<EndpointState, string | null> = {
  ...noneWhileActive,
  disabled: 'Endpoint disabled. Enable it, then re-queue the delivery.',
  deleted: `Endpoint deleted. ${cannotRequeue} The merchant can create a new endpoint for future events.`,
}

/** The reason why events cannot be replayed to an endpoint in this state, or null if they can. */
export const replayRemedy: Record<EndpointState, string | null> = {
  ...noneWhileActive,
  disabled: 'Endpoint disabled. Enable it, then replay the events.',
  deleted:
    'Endpoint deleted. Events cannot be replayed to it. The merchant can create a new endpoint, to which they can be replayed.',
}
