import type { Deps } from '../../deps.ts'
import type { WithinDeadline } from '../../idempotency/effect.ts'
import type { Cause } from '../../outbox/event.ts'
import { newId } from '../../security/ids.ts'
import { orderDeadline } from '../../wallets/order-times.ts'
import { maskPhone } from '../../wallets/phone.ts'
import { outcomeOf } from '../../wallets/query.ts'
import type { KnownOutcome, Wallet } from '../../wallets/wallet.ts'
import type { Intent } from '../intent.ts'
import { isOpenEverywhere } from '../lifecycle.ts'
import { openPayment } from '../open-order.ts'
import { leaveOpen } from '../query-wallets.ts'
import { beginPayment } from './hold.ts'
import type { PaymentHold } from './payment.ts'
import { settlePayment } from './settle.ts'

/** A payment that a customer has confirmed with a PIN. */
export interface Confirmation {
  /** Generated with the form, so that submitting the form twice makes only one payment. */
  paymentId: string
  /** The phone number, as returned by `readPhone`. */
  phone: string
  /** The PIN, as returned by `readPin`. */
  pin: string
  /** In centimes. Unless the intent is OPEN, this is the intent's amount. */
  amount: number
}

/** The customer's request and its timeouts for MongoDB. */
export interface PaymentRequest {
  cause: Cause | null
  withinDeadline: WithinDeadline
}

/**
 * The result of a payment:
 * - `settled`: the outcome is known.
 * - `waiting`: the outcome is not known yet, and the payment still holds the intent.
 * - `not-begun`: the intent cannot be paid, is already being paid or belongs to a suspended business, or the form was
 *   already submitted. The state of the intent shows which of these applies.
 */
export type PaymentResult =
  | { state: 'settled'; outcome: KnownOutcome; intent: Intent }
  | { state: 'waiting' }
  | { state: 'not-begun' }

/**
 * Pays an intent by wallet and PIN (SPEC 3). One write holds the intent, then the wallet moves the money, and a second
 * write ends the payment. If the process dies in between, the hold remains, and a worker queries the wallet for the
 * outcome.
 */
export async function payIntent(
  deps: Deps,
  wallet: Wallet,
  intent: Intent,
  confirmation: Confirmation,
  { cause, withinDeadline }: PaymentRequest,
): Promise<PaymentResult> {
  const payment = draftHold(deps, wallet, confirmation)
  const held = await withinDeadline((deadlineAt) => beginPayment(deps, intent, payment, deadlineAt))
  if (held === null) return { state: 'not-begun' }
  const { phone, pin, amount } = confirmation
  const { id: key, validUntil } = payment
  const { businessId, referenceNumber } = intent
  const order = { key, amount, validUntil, businessId, referenceNumber, phone, pin }
  const suspended = await withinDeadline(() => isSuspended(deps, businessId))
  const outcome =
    suspended || isTooLate(held, payment, deps.now())
      ? ({ outcome: 'not-executed' } as const)
      : await outcomeOf(deps, wallet.name, () => wallet.authorise(order))
  if (outcome.outcome === 'unknown') {
    deps.log.warn({ referenceNumber, wallet: wallet.name, why: outcome.why }, 'payment.outcome-unknown')
    await leaveOpen(deps, openPayment(deps, held, payment), withinDeadline)
    return { state: 'waiting' }
  }
  const settled = await withinDeadline((deadlineAt) =>
    settlePayment(deps, held, payment, outcome, { cause, deadlineAt }),
  )
  if (settled === null) return { state: 'waiting' }
  return suspended ? { state: 'not-begun' } : { state: 'settled', outcome, intent: settled }
}

/**
 * This check runs after the hold is written and immediately before the wallet is called. After a business is suspended,
 * orders can reach a wallet only if they passed this check before the suspension. Each of those orders becomes void at
 * its `validUntil`.
 */
const isSuspended = async (deps: Pick<Deps, 'Business'>, _id: string): Promise<boolean> =>
  (await deps.Business.exists({ _id, suspended: false })) === null

/**
 * Returns whether the hold took so long that other processes may consider the intent expired or that the order is
 * already void.
 */
const isTooLate = (held: Intent, payment: PaymentHold, now: Date): boolean =>
  !isOpenEverywhere(held, now) || payment.validUntil <= now

function draftHold(
  deps: Pick<Deps, 'config' | 'now'>,
  wallet: Wallet,
  { paymentId, phone, amount }: Confirmation,
): PaymentHold {
  const startedAt = deps.now()
  const validUntil = orderDeadline(deps.config, startedAt)
  return {
    id: paymentId,
    wallet: wallet.name,
    amount,
    payerPhone: maskPhone(phone),
    startedAt,
    validUntil,
    queryAt: validUntil,
    writeId: newId(),
  }
}
