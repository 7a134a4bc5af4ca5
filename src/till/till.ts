import { html } from 'ghtml'
import { readFormFields } from '../http/body/read-form.ts'
import * as forms from '../http/pages/forms.ts'
import { pageDeadline } from '../http/pages/prepare-page.ts'
import { findIntentsOfForm } from '../intents/find.ts'
import { isPending } from '../intents/lifecycle.ts'
import { errorSummaryOf, type PersonPage, renderPostForm } from '../people-pages/frame.ts'
import type { AreaPages } from '../people-pages/router.ts'
import { serveVisit, type VisitResult } from '../people-pages/serve.ts'
import { formKey, hasRight, pathIn, type Visit, writeShown } from '../people-pages/visit.ts'
import { Refusal } from '../platform/errors.ts'
import { isId, newId } from '../platform/ids.ts'
import { renderLatest, showDay } from './day.ts'
import { localeOf, type TillLocale } from './locale.ts'
import * as payments from './payment.ts'

/** Where cashiers take payments, on a phone. */
export const till: AreaPages = {
  path: '/till',
  navigation(visit) {
    const { base, member, res } = visit
    const { words } = localeOf(res)
    const there = { ...member, sandbox: !member.sandbox }
    const other = { path: pathIn(there, '/till'), text: words.otherMode[there.sandbox ? 'test' : 'live'] }
    const portal = { path: pathIn(member, '/portal'), text: words.portal }
    return [
      { path: base, text: words.newPayment },
      { path: `${base}/day`, text: words.today },
      ...(hasRight(visit, 'read-payments') ? [portal] : []),
      ...(member.business.liveApproved ? [other] : []),
    ]
  },
  addPages(router) {
    const payment = '/payments/:reference'
    router.get('/', serveVisit('use-till', showForm))
    router.post('/', serveVisit('use-till', makePayment))
    router.get('/day', serveVisit('use-till', showDay))
    router.get(payment, serveVisit('use-till', payments.withPayment(payments.showPayment)))
    router.get(`${payment}/state`, serveVisit('use-till', payments.withPayment(payments.sendState)))
    router.post(`${payment}/cancel`, serveVisit('use-till', payments.withPayment(payments.cancelPayment)))
  },
}

type Typed = Record<'amount' | 'label', string>

const findOfForm = ({ deps, res, caller, member }: Visit, form: string) =>
  pageDeadline(res).run(() => findIntentsOfForm(deps, caller, { personId: member.person.id, form }))

/** The address names the form, so whoever goes back corrects the same payment. */
async function showForm(visit: Visit): Promise<VisitResult> {
  const { form } = visit.req.query
  const isNamed = typeof form === 'string' && isId(form)
  const [made] = isNamed ? await findOfForm(visit, form) : []
  if (!isNamed || (made !== undefined && !isPending(made.status)))
    return { to: `${visit.base}?form=${newId()}` }
  const amount = made?.amount ? localeOf(visit.res).amount(made.amount) : ''
  return formPage(visit, form, { amount, label: made?.label ?? '' }, { corrects: made?.referenceNumber })
}

const attributes = {
  amount: 'dir="ltr" inputmode="decimal" autocomplete="off" maxlength="40" required autofocus',
  label: 'autocomplete="off" maxlength="200"',
}

/** Shows `messages` with what was typed. */
async function formPage(
  visit: Visit,
  form: string,
  typed: Typed,
  {
    status = 200,
    corrects,
    ...messages
  }: forms.FormMessages & { status?: number; corrects?: string | undefined },
): Promise<PersonPage> {
  const { base, res, member } = visit
  const locale = localeOf(res)
  const { words } = locale
  const field = (name: keyof Typed, texts: { label: string; hint: string }) =>
    forms.inputField(name, {
      ...texts,
      fault: messages.faults?.[name],
      value: typed[name],
      attributes: attributes[name],
    })
  const amount = field('amount', words.typedAmount)
  const label = field('label', { label: words.for, hint: words.forHint })
  const button = html`<button>${member.sandbox ? words.showPractice : words.show}</button>`
  const ids = forms.renderHiddenInput('form', form) + forms.renderHiddenInput('once', newId())
  const earlier = html`<p class="notice wait">${words.corrects} <a href="${base}/payments/${corrects ?? ''}">${words.openEarlier}</a></p>`
  const body = html`!${errorSummaryOf(res, messages, words.notCreated)}
<h1>${words.newPayment}</h1>
!${payments.practiceNote(visit, words.practice)}!${corrects === undefined ? '' : earlier}
!${renderPostForm(member.person, base, ids + amount + label, button, words.creating)}
!${await renderLatest(visit)}`
  const title = forms.titleOfForm(locale, words.newPayment, messages)
  return { title, body, status, current: base, isNarrow: true }
}

async function makePayment(visit: Visit): Promise<PersonPage | { to: string }> {
  const { req, res, deps, base, member, caller } = visit
  const locale = localeOf(res)
  const { form: sent, once, ...typed } = readFormFields(req, 'form', 'once', 'amount', 'label')
  const form = isId(sent) ? sent : newId()
  const label = typed.label.trim()
  const read = forms.readAmountField(locale, typed.amount, deps.config.maxAmount)
  if ('fault' in read) return formPage(visit, form, typed, { status: 422, faults: { amount: read.fault } })
  const { amount } = read
  const [latest] = await findOfForm(visit, form)
  const isSame =
    latest && isPending(latest.status) && latest.amount === amount && (latest.label ?? '') === label
  const { id, name, expectValid } = member.person
  const cashier: Visit = { ...visit, caller: { ...caller, person: { id, name, expectValid, form } } }
  const body = { amount, ...(label !== '' && { label }) }
  const key = formKey(visit, form, once, amount, label)
  const create = () => writeShown<{ referenceNumber: string }>(cashier, 'createIntent', { body, key })
  const made = isSame ? latest : await create().catch((error: unknown) => messagesOf(locale, error))
  if (!('referenceNumber' in made)) return formPage(visit, form, typed, made)
  const { referenceNumber } = made
  const earlier = await cancelOlder(visit, form)
  const query = earlier === null || earlier === referenceNumber ? '' : `?earlier=${earlier}`
  return { to: `${base}/payments/${referenceNumber}${query}` }
}

/**
 * A corrected amount replaces the earlier payment. Every request looks after it has created
 * its own, so the last of several at once sees them all. Returns one that is being paid.
 */
async function cancelOlder(visit: Visit, form: string): Promise<string | null> {
  const [, ...older] = await findOfForm(visit, form)
  let beingPaid: string | null = null
  for (const { status, referenceNumber } of older)
    if (isPending(status) && !(await payments.tryToCancel(visit, referenceNumber)))
      beingPaid = referenceNumber
  return beingPaid
}

/** Throws other errors. */
function messagesOf({ words }: TillLocale, error: unknown): forms.FormMessages & { status: number } {
  if (!(error instanceof Refusal)) throw error
  const { code, extras, statusCode: status } = error
  const { scope } = (extras.details ?? {}) as { scope?: string }
  if (code === 'RATE_LIMITED')
    return { status, notice: scope === 'sandbox' || scope === 'storage' ? words.usedUp : words.tooMany }
  if (extras.param === 'label') return { status, faults: { label: words.forFault } }
  throw error
}
