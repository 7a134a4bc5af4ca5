import { html } from 'ghtml'
import { currencyCode, formatDecimal } from '../../schemas/currency.ts'
import type { DeliveryStatus } from '../../schemas/deliveries.ts'
import type { FailureStage } from '../../schemas/responses/webhooks.ts'
import type { ApiKey } from '../businesses/api-key.ts'
import type { PaymentAttempt } from '../intents/records.ts'
import type { WalletName } from '../wallets/wallet.ts'
import { maxCounted } from '../webhooks/deliveries/backlog.ts'
import type { AttemptRecord } from '../webhooks/deliveries/delivery.ts'
import type { TracedEndpoint } from '../webhooks/deliveries/look-up.ts'
import { type CallerText, inEach } from './sentences/advice.ts'

export const inUtc = (at: Date): string => `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`

export const time = (at: Date): string => html`<time datetime="${at.toISOString()}">${inUtc(at)}</time>`

/** Isolates text from a merchant or an endpoint, which keeps its own text direction. */
export const userText = (text: string): string => html`<bdi>${text}</bdi>`

export const capitaliseFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Returns e.g. `12,500`. */
export const groupDigits = (count: number): string => count.toLocaleString('en')

/** Returns e.g. `12,500.00 MRU` (SPEC 1). */
export function formatMoney(centimes: number): string {
  const [units = '', cents = ''] = formatDecimal(centimes).split('.')
  return `${groupDigits(Number(units))}.${cents} ${currencyCode}`
}

export const formatDuration = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`)

export const deliveriesCounted = (count: number): string =>
  `${count} ${count === 1 ? 'delivery' : 'deliveries'}`

/** Formats a count that stops at `maxCounted`. */
export const atMost = (count: number): string =>
  count >= maxCounted ? `${maxCounted} or more` : String(count)

/** Why a delivery attempt failed, by the stage at which it failed. */
export const stageWords: Record<FailureStage, CallerText> = {
  status: inEach('the server returned an error', 'le serveur a renvoyé une erreur', 'أعاد الخادم خطأً'),
  dns: inEach(
    'the host name could not be resolved',
    'le nom de domaine est introuvable',
    'تعذّر العثور على اسم النطاق',
  ),
  address: inEach(
    'the IP address is not public',
    'l’adresse IP n’est pas publique',
    'عنوان IP ليس عنوانًا عامًا',
  ),
  connect: inEach('the server could not be reached', 'le serveur est injoignable', 'تعذّر الوصول إلى الخادم'),
  refused: inEach('the connection was refused', 'la connexion a été refusée', 'رُفض الاتصال'),
  tls: inEach('the TLS connection failed', 'la connexion TLS a échoué', 'فشل اتصال TLS'),
  timeout: inEach(
    'the response did not arrive in time',
    'la réponse n’est pas arrivée à temps',
    'لم يصل الرد في الوقت المحدد',
  ),
  closed: inEach(
    'the connection was closed too early',
    'la connexion a été coupée trop tôt',
    'قُطع الاتصال قبل الأوان',
  ),
  protocol: inEach(
    'the response was not valid HTTP',
    'la réponse n’était pas une réponse HTTP valide',
    'لم يكن الرد متوافقًا مع HTTP',
  ),
  too_large: inEach(
    'the headers of the response were too large',
    'les en-têtes de la réponse étaient trop volumineux',
    'كانت ترويسات الرد كبيرة جدًا',
  ),
}

/** Returns e.g. `status 500` or `timeout (the response did not arrive in time)`. */
export function outcomeOf(attempt: Pick<AttemptRecord, 'status' | 'stage' | 'error'>): string {
  const { status, stage, error } = attempt
  if (status !== null) return `status ${status}`
  const reason = error ?? entryNamed(stageWords, stage)?.en ?? 'there was no response'
  return `${stage ?? 'failed'} (${reason.charAt(0).toLowerCase()}${reason.slice(1).replace(/\.$/, '')})`
}

export function walletInWords(wallet: WalletName): string {
  if (wallet === 'sandbox') return 'sandbox wallet'
  if (wallet === 'simulation') return 'none (simulated payment)'
  return `wallet provider ${wallet.slice('live:'.length)}`
}

export const reasonWords: Record<NonNullable<PaymentAttempt['reason']>, string> = {
  wrong_pin: 'the phone number or the PIN is wrong',
  wallet_locked: 'the wallet is locked after too many wrong PINs',
  insufficient_funds: 'the wallet does not have enough money',
  limit_exceeded: 'the amount exceeds the limit of the wallet',
  declined: 'the wallet declined it without a known reason',
  technical_error: 'the wallet had a technical error',
  wallet_closed: 'the wallet is closed',
}

export const reasonInWords = (reason: keyof typeof reasonWords): string =>
  `${reasonWords[reason]} (${reason})`

const outcomeWords: Record<PaymentAttempt['outcome'], string> = {
  done: 'paid',
  refused: 'refused (the merchant is not notified)',
  declined: 'declined; the customer can try again',
  failed: 'failed permanently',
  'not-executed': 'the wallet was not reached; no money moved',
}

/** For example, `declined; the customer can try again: the wallet does not have enough money (…)`. */
export const paymentOutcome = ({ outcome, reason }: Pick<PaymentAttempt, 'outcome' | 'reason'>): string =>
  reason === null ? outcomeWords[outcome] : `${outcomeWords[outcome]}: ${reasonInWords(reason)}`

export const refundOutcome = ({ reason }: Pick<PaymentAttempt, 'reason'>): string =>
  reason === null ? outcomeWords['not-executed'] : reasonInWords(reason)

/** Safe for a `name` that comes from a query. */
export const entryNamed = <Value>(
  record: Readonly<Record<string, Value>>,
  name: unknown,
): Value | undefined => (typeof name === 'string' && Object.hasOwn(record, name) ? record[name] : undefined)

type Colour = 'good' | 'wait' | 'bad' | 'live' | 'faint'

export const renderBadge = (colour: Colour, text: string): string =>
  html`<span class="badge ${colour}">${text}</span>`

export const environmentBadge = (sandbox: boolean): string =>
  sandbox ? renderBadge('faint', 'sandbox') : renderBadge('live', 'live')

const colours: Record<DeliveryStatus, Colour> = {
  PENDING: 'wait',
  RETRYING: 'wait',
  DELIVERED: 'good',
  DEAD: 'bad',
  CANCELLED: 'faint',
}

export const deliveryBadge = (status: DeliveryStatus): string => renderBadge(colours[status], status)

export function endpointBadge({ sandbox, active, deletedAt, reportedFailure }: TracedEndpoint): string {
  const environment = environmentBadge(sandbox)
  if (deletedAt !== null) return html`!${environment} !${renderBadge('faint', 'deleted')}`
  const state = active ? renderBadge('good', 'active') : renderBadge('wait', 'disabled')
  const failing = reportedFailure === null ? '' : html` !${renderBadge('bad', 'failing')}`
  return html`!${environment} !${state}!${failing}`
}

const keyColours: Record<ApiKey['status'], Colour> = { active: 'good', suspended: 'wait', revoked: 'faint' }

export const keyBadge = (status: ApiKey['status']): string => renderBadge(keyColours[status], status)
