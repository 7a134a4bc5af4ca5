import { html } from 'ghtml'
import { oldPerNewOuguiya } from '../../schemas/currency.ts'
import { ratesAt } from '../businesses/business.ts'
import { type CheckoutState, canStateChange, checkoutStateOf } from '../checkout/offer.ts'
import { pageDeadline } from '../http/pages/prepare-page.ts'
import { drawQrSvg } from '../http/pages/qr.ts'
import { sendJson } from '../http/pages/send-page.ts'
import * as text from '../http/pages/text.ts'
import { isCodeActive } from '../intents/codes.ts'
import { findIntentToChange, type IntentToChange } from '../intents/find.ts'
import { codeUrlOf, payUrlOf } from '../intents/present.ts'
import { readPersonNames } from '../people/list-people.ts'
import { renderPostForm, sendPersonNote } from '../people-pages/frame.ts'
import type { VisitResult } from '../people-pages/serve.ts'
import { hasRight, readShown, type Visit, writeShown } from '../people-pages/visit.ts'
import { Refusal } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { toUtcDay } from '../platform/time.ts'
import { commissionOf } from '../wallets/commission.ts'
import { localeOf } from './locale.ts'

type TillIntent = IntentToChange & Required<Pick<IntentToChange, 'till'>>

/**
 * Null if the till has no such payment. Each open page asks every second, so like the
 * payment page this reads many at once, outside the limits of the business's API.
 */
async function findPayment({ deps, req, res, caller }: Visit): Promise<TillIntent | null> {
  const reference = String(req.params['reference'])
  try {
    const found = await pageDeadline(res).run((deadlineAt) =>
      findIntentToChange(deps, caller, reference, { key: '', deadlineAt }),
    )
    return found.till === undefined ? null : (found as TillIntent)
  } catch (error) {
    const code = error instanceof Refusal ? error.code : null
    if (code === 'INTENT_NOT_FOUND' || code === 'SANDBOX_MISMATCH') return null
    throw error
  }
}

/** Cashiers see only today, and what they made themselves. */
export const maySeeDay = (visit: Visit, day: string): boolean =>
  day === toUtcDay(visit.deps.now()) || hasRight(visit, 'read-payments')

const isOwn = ({ member }: Visit, { till }: TillIntent) => till.personId === member.person.id

const mayCancel = (visit: Visit, intent: TillIntent) =>
  isOwn(visit, intent) || hasRight(visit, 'cancel-payments')

/** `handle` runs only if the visitor may see the payment. */
export const withPayment =
  (handle: (visit: Visit, intent: TillIntent) => Promise<VisitResult>) =>
  async (visit: Visit): Promise<VisitResult> => {
    const intent = await findPayment(visit)
    if (intent === null) return null
    const day = toUtcDay(intent.payment?.paidAt ?? intent.createdAt)
    return isOwn(visit, intent) || maySeeDay(visit, day) ? handle(visit, intent) : refuseRole(visit)
  }

export function refuseRole({ res }: Visit): 'sent' {
  sendPersonNote(res, 403, 'role')
  return 'sent'
}

const pathOf = ({ base }: Visit, { referenceNumber }: TillIntent) => `${base}/payments/${referenceNumber}`

export async function showPayment(visit: Visit, intent: TillIntent): Promise<VisitResult> {
  const state = checkoutStateOf(intent, visit.deps.now())
  return canStateChange(state) ? openPage(visit, intent, state) : endedPage(visit, intent, state)
}

export async function sendState(visit: Visit, intent: TillIntent): Promise<VisitResult> {
  const now = visit.deps.now()
  const state = checkoutStateOf(intent, now)
  return sendJson(visit.res, { state, left: leftOf(visit, intent), isCodeActive: isCodeActive(intent, now) })
}

/** Of the code, and then of the link. */
function leftOf({ deps, res }: Visit, intent: TillIntent) {
  const now = deps.now()
  const endsAt = isCodeActive(intent, now) ? intent.codeExpiresAt : intent.expiresAt
  return localeOf(res).left(endsAt.getTime() - now.getTime())
}

export async function cancelPayment(visit: Visit, intent: TillIntent): Promise<VisitResult> {
  if (!mayCancel(visit, intent)) return refuseRole(visit)
  await tryToCancel(visit, intent.referenceNumber)
  return { to: pathOf(visit, intent) }
}

/** Returns false while a customer is paying. A payment that has ended needs no cancelling. */
export async function tryToCancel(visit: Visit, referenceNumber: string): Promise<boolean> {
  try {
    await writeShown(visit, 'cancelIntent', { params: { referenceNumber }, key: newId() })
    return true
  } catch (error) {
    const code = error instanceof Refusal ? error.code : null
    if (code === 'INTENT_CANCEL_INVALID_STATUS') return true
    if (code === 'INTENT_CANCEL_CONFLICT') return false
    throw error
  }
}

export const practiceNote = ({ member }: Visit, note: string): string =>
  member.sandbox ? html`<p class="practice">${note}</p>` : ''

async function openPage(visit: Visit, intent: TillIntent, state: 'pending' | 'waiting') {
  const { res, req, base, deps, caller, member } = visit
  const locale = localeOf(res)
  const { words } = locale
  const { label } = intent
  const [amount, path, now] = [intent.amount ?? 0, pathOf(visit, intent), deps.now()]
  const isPending = state === 'pending'
  const live = html`data-live="${path}/state" data-state="${state}" data-here="${path}" !${isPending && isCodeActive(intent, now) ? 'data-code' : ''}`
  const { payerTtc: fee } = commissionOf(amount, ratesAt(caller.commission, deps.config.commissionRates, now))
  const button = html`<button class="plain">${words.cancel}</button>`
  const cancel = renderPostForm(member.person, `${path}/cancel`, '', button, words.cancelling)
  const body = html`<noscript><meta http-equiv="refresh" content="1"></noscript>
!${earlierNote(visit, req.query['earlier'])}
!${practiceNote(visit, words.practicePay)}
<h1 class="money">!${text.renderMoney(locale, amount)}</h1>
<p class="faint">!${words.inOld(text.renderLtr(locale.amount(amount * oldPerNewOuguiya)))}</p>
!${fee === 0 ? '' : html`<p class="faint">!${words.feeToo(text.renderMoney(locale, fee))}</p>`}
!${label === null ? '' : html`<p>!${text.isolateText(label)}</p>`}
<p class="notice bad" role="alert" data-offline hidden>${words.offline}</p>
<p role="status" !${live}><strong>${words.states[state]}.</strong> ${words.sentences[state]}</p>
!${isPending ? waysToPay(visit, intent) : ''}
!${isPending && mayCancel(visit, intent) ? cancel : ''}
!${isPending && isOwn(visit, intent) ? html`<p class="way"><a href="${base}?form=${intent.till.form}">${words.correct}</a></p>` : ''}
<p class="way"><a href="${base}">${words.newPayment}</a></p>`
  return { title: text.isolateLtrText(locale, locale.money(amount)), body, isNarrow: true }
}

function waysToPay(visit: Visit, intent: TillIntent) {
  const { config, now } = visit.deps
  const { words } = localeOf(visit.res)
  const { code } = intent
  const url = payUrlOf(config.payUrl, intent)
  // Customers type this address, so the scheme is left out.
  const address = codeUrlOf(config.payUrl, intent).replaceAll(/^https?:\/\/|\/$/g, '')
  const byCode = html`<p>!${words.codeAt(text.renderLtr(address))}</p>
<p class="code">!${text.renderLtr(`${code.slice(0, 3)} ${code.slice(3)}`)}</p>`
  return html`!${isCodeActive(intent, now()) ? byCode : html`<p class="notice wait">${words.codeOver}</p>`}
<p>${words.scan}</p>
<div class="qr" role="img" aria-label="${words.qr}">!${drawQrSvg(url)}</div>
<p class="faint">${words.left} <span data-left>${leftOf(visit, intent)}</span></p>
<button type="button" data-share="${url}" data-copy="${words.copy}" data-copied="${words.copied}" hidden>${words.share}</button>
<p class="way"><a href="${url}" rel="noreferrer">${words.openLink}</a></p>`
}

/** The form was corrected, but the earlier payment couldn't be cancelled. */
function earlierNote({ res, base }: Visit, reference: unknown) {
  if (typeof reference !== 'string' || !/^PI-\w{1,40}$/.test(reference)) return ''
  const { words } = localeOf(res)
  return html`<div class="notice bad" role="alert"><p>${words.earlier}</p>
<p><a href="${base}/payments/${reference}">${words.openEarlier}</a></p></div>`
}

type EndState = Exclude<CheckoutState, 'pending' | 'waiting'>

/** A receipt, if it was paid. */
async function endedPage(visit: Visit, intent: TillIntent, state: EndState) {
  const { deps, res, base, member } = visit
  const locale = localeOf(res)
  const { words } = locale
  const { facts } = words
  const { payment, referenceNumber, createdAt, till } = intent
  const params = { referenceNumber }
  const { totalAmountRefunded: refunded } = await readShown(visit, 'getIntent', { params })
  const names = await readPersonNames(deps, [till.personId])
  const [paid, fee] = [payment?.amountPaid ?? intent.amount ?? 0, payment?.commission.payerTtc ?? 0]
  const money = (centimes: number) => (centimes === 0 ? null : text.renderMoney(locale, centimes))
  const rows: text.FactRow[] = [
    [facts.business, text.isolateText(member.business.name)],
    [facts.for, text.isolateTextOrNull(intent.label)],
    [facts.amount, money(paid)],
    [facts.fee, money(fee)],
    [facts.total, fee === 0 ? null : money(paid + fee)],
    [facts.refunded, money(refunded)],
    [facts.reference, text.renderLtr(referenceNumber)],
    [payment === null ? facts.madeAt : facts.paidAt, text.renderTime(locale, payment?.paidAt ?? createdAt)],
    [facts.cashier, text.isolateText(names.get(till.personId) ?? '')],
  ]
  const title = words.states[state === 'refunded' && refunded < paid ? 'refundedInPart' : state]
  const isPaid = state === 'paid' || state === 'refunded'
  const result = isPaid
    ? html`<p class="money">!${text.renderMoney(locale, paid)}</p>`
    : html`<p>${words.sentences[state]}</p>`
  const print = html`<button type="button" class="plain" data-print hidden>${words.print}</button>`
  const body = html`<div !${isPaid ? 'class="receipt"' : ''}>
!${isPaid ? practiceNote(visit, words.notReal) : ''}
!${state === 'paid' ? '<p class="tick good" aria-hidden="true">✓</p>' : ''}
<h1>${title}</h1>
!${result}
!${text.renderFactList(rows)}
</div>
<p class="unprinted"><a class="button" href="${base}">${words.newPayment}</a></p>
!${isPaid ? print : ''}`
  return { title, body, isNarrow: true }
}
