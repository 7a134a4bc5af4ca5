import type { Stage } from '../../../schemas/responses/webhooks.ts'
import type { Locale } from '../../checkout/locale.ts'
import type { AttemptRecord } from '../../webhooks/deliveries/delivery.ts'
import type { TracedEndpoint } from '../../webhooks/deliveries/look-up.ts'
import { entryNamed } from '../pages/query.ts'
import { type Advice, adviceFrom, type Sentences } from './advice.ts'
import { deadSentences, type EndpointFacts, type EndpointState, endpointSentences } from './endpoint-sentences.ts'

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

/** Returns the facts of an endpoint in one language. */
export function endpointFacts(
  locale: Locale,
  { url, deletedAt, health }: Pick<TracedEndpoint, 'url' | 'deletedAt' | 'health'>,
): EndpointFacts {
  const moment = (at: Date | null) => (at === null ? '' : locale.moment(at))
  const { lastSuccessAt, lastFailureAt, lastError: stage, lastStatus: status } = health
  return {
    host: URL.parse(url)?.host ?? url,
    lastSuccessAt: moment(lastSuccessAt),
    lastFailureAt: moment(lastFailureAt),
    deletedAt: deletedAt === null ? '' : on(locale, deletedAt),
    lastError: causeOf(locale, { stage, status }),
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
