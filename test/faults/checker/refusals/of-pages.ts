import type { Call, What } from '../../evidence/evidence.ts'
import type { IntentDocument } from '../documents.ts'
import type { Round } from '../round.ts'
import { pageOf, shortCodeIn } from '../views/answers.ts'
import { wordless } from '../views/busy.ts'
import { failingPayment } from '../views/failing-amounts.ts'
import { sumOf } from '../views/groups.ts'
import { settles } from '../views/times.ts'
import { hadCome, mayHaveComeBy, type Reason, type Refusal } from './refusal.ts'
import { tooSlow } from './too-slow.ts'

/** What a customer types into the form that pays. */
interface Form {
  form: string
  phone: string
  pin: string
  amount?: string
}

const formOf = ({ body }: Call): Partial<Form> => body ?? {}
/** A form bears the key of the payment that comes of it. */
const keyIn = (call: Call): string => formOf(call).form?.split('.', 1)[0] ?? ''
const phoneIn = (call: Call): string => (formOf(call).phone ?? '').replaceAll(/\D/g, '')

/** Whether it could be paid all the while, surely: it was there, and nothing had been done with it. `untilMs`: when that ends by itself. */
function wasOpen(round: Round, span: Refusal['span'], intent: IntentDocument, untilMs: number): boolean {
  const { status, createdAt, updatedAt, payment, attempts } = intent
  const ended = status === 'PENDING' ? [] : [updatedAt]
  const paid = payment === null ? [] : [payment.paidAt]
  const ends = [untilMs, ...ended, ...paid, ...attempts.map(({ at }) => at)]
  return hadCome(round, createdAt, span) && !ends.some((end) => mayHaveComeBy(round, end, span))
}

/** A page offers no payment in the last second (docs/payments.md). */
const lastMs = 1000

/** The payment may be gone with the clean-up, or its link be of none. */
const noPayment: Reason = (round, { call }) => {
  const intent = round.intentAt(shortCodeIn(call.path))
  return intent === undefined || round.mayBeCleaned(intent)
}

/** Of a page that offers nothing: the payment may have been made, or have ended. */
const notOffered: Reason = (round, { call, span }) => {
  const intent = round.intentAt(shortCodeIn(call.path))
  return intent === undefined || !wasOpen(round, span, intent, intent.expiresAt - lastMs)
}

/** The digits may lead to no payment: mistyped, or it has ended, or its code has. */
const noCode: Reason = (round, { call, span }) => {
  const { code } = (call.body ?? {}) as { code?: string }
  const sandboxOf = /^\/sandbox\/([^/?]+)/.exec(call.path)?.[1] ?? null
  return !round.dump.intents.some(
    (intent) =>
      intent.code === code &&
      (sandboxOf === null ? !intent.sandbox : intent.sandbox && intent.businessId === sandboxOf) &&
      wasOpen(round, span, intent, Math.min(intent.codeExpiresAt, intent.expiresAt - lastMs)),
  )
}

/** Who typed it may not know the PIN or have the money, the amount always fails, or the order never came to the wallet or its word never back, or not in time. */
const notCharged: Reason = (round, { call, span }) => {
  const intent = round.intentAt(shortCodeIn(call.path))
  // A day passed between the read of the form and the read of the payment, so only the form was out of date.
  if (intent === undefined || jumpsAround(round, call, 0)) return true
  const { wallets, providerWallets } = round.setting
  const phone = phoneIn(call)
  const wallet = (intent.sandbox ? wallets : providerWallets).find((each) => each.phone === phone)
  if (wallet === undefined || wallet.pin !== formOf(call).pin) return true
  if (intent.sandbox && amountIn(round, call) === failingPayment) return true
  const forms = round.calls.filter(
    (other) => other.what === 'pay.confirm' && other.began <= call.ended && phoneIn(other) === phone,
  )
  // Wrong PINs lock it.
  if (forms.some((form) => formOf(form).pin !== wallet.pin)) return true
  const others = new Map(
    forms.filter((form) => keyIn(form) !== keyIn(call)).map((form) => [keyIn(form), form]),
  )
  const spent = sumOf(others.values(), (form) => amountIn(round, form))
  if (wallet.balance - spent < amountIn(round, call)) return true
  const isKept = round.provider.some(({ key, did }) => key === keyIn(call) && wordless.includes(did))
  if (isKept) return true
  if (outcomeOf(intent, call) !== 'not-executed') return false
  // Its time was as good as up before the wallet was asked.
  if (mayHaveComeBy(round, intent.expiresAt - lastMs, span)) return true
  return !round.times.isCalm({ from: firstSent(forms, call), to: call.ended }, settles.requests)
}

/** When the form was sent for the first time: who hears nothing sends it again, and hears what came of that. */
const firstSent = (forms: Call[], call: Call): number =>
  Math.min(...forms.filter((form) => keyIn(form) === keyIn(call)).map(({ began }) => began))

/** What came of a form; null where no payment was begun by it. */
const outcomeOf = (intent: IntentDocument | undefined, call: Call): string | null =>
  intent?.attempts.find(({ id }) => id === keyIn(call))?.outcome ?? null

/** In centimes. An open amount is what the customer typed, whatever the merchant had proposed. */
function amountIn(round: Round, call: Call): number {
  const { amount: typed } = formOf(call)
  const intent = round.intentAt(shortCodeIn(call.path))
  if (typed === undefined || intent?.amountType === 'FIXED') return intent?.amount ?? 0
  return Math.round(100 * Number(typed))
}

/** Whether time jumped while a request was running, or up to this long before. */
const jumpsAround = ({ faults }: Pick<Round, 'faults'>, { began, ended }: Call, beforeMs: number): boolean =>
  faults.some(
    (fault) => fault.what === 'clock.jump' && fault.began <= ended && fault.ended >= began - beforeMs,
  )

/** A session ends when a day passes, and when the same browser signs in anew: who had the form before presses in vain. */
const isSignedOut: Reason = ({ faults, calls }, { call }) => {
  const looked = calls.filter(({ actor, operation }) => actor === call.actor && operation === call.operation)
  const fromMs = Math.min(...looked.map(({ began }) => began))
  const isPast = jumpsAround({ faults }, call, call.timeoutMs)
  const isAnew = calls.some(
    ({ what, operation, began, ended }) =>
      what === 'support.sign-in' && operation !== call.operation && began <= call.ended && ended >= fromMs,
  )
  return isPast || isAnew
}

/** What the page is about may be gone with the clean-up. */
const noSubject: Reason = (round, { call }) => {
  const id = /\/deliveries\/([^/?]+)/.exec(call.path)?.[1]
  if (id === undefined) return false
  const delivery = round.dump.deliveries.find(({ _id }) => _id === decodeURIComponent(id))
  const about = round.intentOf.get(delivery?.referenceNumber ?? '') ?? delivery
  return about === undefined || round.mayBeCleaned(about)
}

const wrongPassword: Reason = ({ setting }, { call }) => {
  const { name, password } = (call.body ?? {}) as { name?: string; password?: string }
  return !setting.staff.some((each) => each.name === name && each.password === password)
}

const isPressed: Reason = (round, refusal) =>
  refusal.call.status === 403 ? isSignedOut(round, refusal) : noSubject(round, refusal)

const ofPages: Partial<Record<What, Reason>> = {
  'pay.page': noPayment,
  'pay.status': noPayment,
  'pay.code': noCode,
  'pay.confirm': notCharged,
  'support.page': noSubject,
  'support.sign-in': wrongPassword,
  requeue: isPressed,
  'requeue.all': isPressed,
}

/**
 * The reasons for which a page may turn somebody away, or have nothing for them: of customers and staff, who ask by no key. Null where it did neither. Nobody comes so often, or from so few
 * addresses, that 429 is ever due.
 */
export function reasonOfPage(round: Round, call: Call): Reason | null {
  const { what, status } = call
  const reason = ofPages[what]
  if (reason === undefined || status === null || status >= 500) return null
  if (status === 429) return never
  if (status === 408) return tooSlow
  if (status >= 400) return reason
  if (what === 'pay.page' && !['pending', 'waiting'].includes(pageOf(call)?.state ?? '')) return notOffered
  if (what !== 'pay.confirm') return null
  // The page went on, and what came of the form is no payment.
  const outcome = outcomeOf(round.intentAt(shortCodeIn(call.path)), call)
  return outcome === null || outcome === 'done' ? null : notCharged
}

const never: Reason = () => false
