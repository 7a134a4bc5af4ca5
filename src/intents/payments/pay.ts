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

/** A payment that a customer confirms with their PIN. */
export interface Confirmation {
  /** Created with the form, so that a form that is sent twice makes only one payment. */
  paymentId: string
  /** As `readPhone` returns it. */
  phone: string
  /** As `readPin` returns it. */
  pin: string
  /** Centimes. The intent's amount, unless the intent is OPEN. */
  amount: number
}

/** The customer's request, and its timeouts for MongoDB. */
export interface PaymentRequest {
  cause: Cause | null
  withinDeadline: WithinDeadline
}

/**
 * `settled`: the outcome is known. `waiting`: the outcome is not known yet, and the payment still holds the intent.
 * `not-begun`: the intent cannot be paid, is being paid, belongs to a suspended business, or this form was already
 * sent. The state of the intent shows which of these is the case.
 */
export type PaymentResult =
  | { state: 'settled'; outcome: KnownOutcome; intent: Intent }
  | { state: 'waiting' }
  | { state: 'not-begun' }

/**
 * Pays an intent by wallet and PIN (SPEC 3). One write holds the intent, the wallet moves the money, and another write
 * ends the payment. If the process dies in between, the hold stays, and a worker queries the wallet for the outcome.
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
 * Runs after the hold and just before the wallet is called. Once a business is suspended, the only orders that still
 * reach a wallet are those that have already passed this check. Each of them is void from its `validUntil` on.
 */
const isSuspended = async (deps: Pick<Deps, 'Business'>, _id: string): Promise<boolean> =>
  (await deps.Business.exists({ _id, suspended: false })) === null

/** Whether the hold took so long that other processes may read the intent as expired, or the order is void. */
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
