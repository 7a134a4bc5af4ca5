import { html } from 'ghtml'
import { currencyCode, formatCentimes } from '../../schemas/currency.ts'
import type { DeliveryStatus } from '../../schemas/deliveries.ts'
import type { FailureStage } from '../../schemas/responses/webhooks.ts'
import type { ApiKey } from '../businesses/api-key.ts'
import type { PaymentAttempt } from '../intents/records.ts'
import type { WalletName } from '../wallets/wallet.ts'
import { maxBacklogCount } from '../webhooks/deliveries/backlog.ts'
import type { AttemptRecord } from '../webhooks/deliveries/delivery.ts'
import type { StaffEndpoint } from '../webhooks/deliveries/look-up.ts'
import { byLanguage, type CallerText } from './sentences/advice.ts'

export const formatUtc = (at: Date): string => `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`

export const renderTime = (at: Date): string =>
  html`<time datetime="${at.toISOString()}">${formatUtc(at)}</time>`

export const capitaliseFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Returns e.g. `12,500`. */
export const groupDigits = (count: number): string => count.toLocaleString('en')

/** Returns e.g. `12,500.00 MRU` (SPEC 1). */
export function formatMoney(centimes: number): string {
  const [units = '', cents = ''] = formatCentimes(centimes).split('.')
  return `${groupDigits(Number(units))}.${cents} ${currencyCode}`
}

export const formatDuration = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`)

export const formatDeliveryCount = (count: number): string =>
  `${count} ${count === 1 ? 'delivery' : 'deliveries'}`

/** Counts stop at `maxBacklogCount`. */
export const formatCappedCount = (count: number): string =>
  count >= maxBacklogCount ? `${maxBacklogCount} or more` : String(count)

export const failureStageWords: Record<FailureStage, CallerText> = {
  status: byLanguage('the server returned an error', 'le serveur a renvoyé une erreur', 'أعاد الخادم خطأً'),
  dns: byLanguage(
    'the host name could not be resolved',
    'le nom de domaine est introuvable',
    'تعذّر العثور على اسم النطاق',
  ),
  address: byLanguage(
    'the IP address is not public',
    'l’adresse IP n’est pas publique',
    'عنوان IP ليس عنوانًا عامًا',
  ),
  connect: byLanguage(
    'the server could not be reached',
    'le serveur est injoignable',
    'تعذّر الوصول إلى الخادم',
  ),
  refused: byLanguage('the connection was refused', 'la connexion a été refusée', 'رُفض الاتصال'),
  tls: byLanguage('the TLS connection failed', 'la connexion TLS a échoué', 'فشل اتصال TLS'),
  timeout: byLanguage(
    'the response did not arrive in time',
    'la réponse n’est pas arrivée à temps',
    'لم يصل الرد في الوقت المحدد',
  ),
  closed: byLanguage(
    'the connection was closed too early',
    'la connexion a été coupée trop tôt',
    'قُطع الاتصال قبل الأوان',
  ),
  protocol: byLanguage(
    'the response was not valid HTTP',
    'la réponse n’était pas une réponse HTTP valide',
    'لم يكن الرد متوافقًا مع HTTP',
  ),
  too_large: byLanguage(
    'the response headers were too large',
    'les en-têtes de la réponse étaient trop volumineux',
    'كانت ترويسات الرد كبيرة جدًا',
  ),
  proxy: byLanguage(
    'the proxy of this service failed',
    'le proxy de ce service a échoué',
    'تعطّل الخادم الوسيط لهذه الخدمة',
  ),
}

/** Returns e.g. `status 500` or `refused (the connection was refused)`. */
export function describeAttempt(attempt: Pick<AttemptRecord, 'status' | 'stage' | 'error'>): string {
  const { status, stage, error } = attempt
  if (status !== null) return `status ${status}`
  const reason = error ?? lookUpEntry(failureStageWords, stage)?.en ?? 'there was no response'
  return `${stage ?? 'failed'} (${reason.charAt(0).toLowerCase()}${reason.slice(1).replace(/\.$/, '')})`
}

export function describeWallet(wallet: WalletName): string {
  if (wallet === 'sandbox') return 'sandbox wallet'
  if (wallet === 'simulation') return 'none (simulated payment)'
  return `wallet provider ${wallet.slice('live:'.length)}`
}

export const walletReasonLabels: Record<NonNullable<PaymentAttempt['reason']>, string> = {
  wrong_pin: 'the phone number or the PIN is wrong',
  wallet_locked: 'the wallet is locked after too many wrong PINs',
  insufficient_funds: 'the wallet does not have enough money',
  limit_exceeded: 'the amount exceeds the limit of the wallet',
  declined: 'the wallet declined it without giving a reason',
  technical_error: 'the wallet had a technical error',
  wallet_closed: 'the wallet is closed',
}

export const describeReason = (reason: keyof typeof walletReasonLabels): string =>
  `${walletReasonLabels[reason]} (${reason})`

const outcomeWords: Record<PaymentAttempt['outcome'], string> = {
  done: 'paid',
  refused: 'refused (the merchant is not notified)',
  declined: 'declined; the customer can try again',
  failed: 'failed permanently',
  'not-executed': 'the wallet was not reached; no money moved',
}

/** Returns e.g. `failed permanently: the wallet is closed (wallet_closed)`. */
export const formatPaymentOutcome = ({
  outcome,
  reason,
}: Pick<PaymentAttempt, 'outcome' | 'reason'>): string =>
  reason === null ? outcomeWords[outcome] : `${outcomeWords[outcome]}: ${describeReason(reason)}`

export const formatRefundOutcome = ({ reason }: Pick<PaymentAttempt, 'reason'>): string =>
  reason === null ? outcomeWords['not-executed'] : describeReason(reason)

/** Safe for a `name` that comes from a query. */
export const lookUpEntry = <Value>(
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

export function endpointBadge({ sandbox, active, deletedAt, reportedFailure }: StaffEndpoint): string {
  const environment = environmentBadge(sandbox)
  if (deletedAt !== null) return html`!${environment} !${renderBadge('faint', 'deleted')}`
  const state = active ? renderBadge('good', 'active') : renderBadge('wait', 'disabled')
  const failing = reportedFailure === null ? '' : html` !${renderBadge('bad', 'failing')}`
  return html`!${environment} !${state}!${failing}`
}

const keyColours: Record<ApiKey['status'], Colour> = { active: 'good', suspended: 'wait', revoked: 'faint' }

export const keyBadge = (status: ApiKey['status']): string => renderBadge(keyColours[status], status)
