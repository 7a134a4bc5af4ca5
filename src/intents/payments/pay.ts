import type { WithinDeadline } from '../../idempotency/request.ts'
import { maskPhone } from '../../input/phone.ts'
import type { Deps } from '../../platform/deps.ts'
import { newId } from '../../platform/ids.ts'
import type { Cause } from '../../tracing/tracing.ts'
import type { Commission } from '../../wallets/commission.ts'
import { orderDeadline, outcomeOf } from '../../wallets/query.ts'
import type { KnownOutcome, Wallet } from '../../wallets/wallet.ts'
import type { Intent } from '../intent.ts'
import { isOpenEverywhere } from '../lifecycle.ts'
import { payerHashOf } from '../look-up-keys.ts'
import { leaveOpen, openPayment } from '../query-wallets.ts'
import type { PaymentHold } from '../records.ts'
import { beginPayment, settlePayment } from './begin-and-settle.ts'

/** A payment that a customer has confirmed with a PIN. */
export interface Confirmation {
  /**
   * The id of the payment. This id is generated together with the form, so that submitting the form twice makes only
   * one payment.
   */
  paymentId: string
  /** The customer's phone number, as returned by `readPhone`. */
  phone: string
  /** The customer's PIN, as returned by `readPin`. */
  pin: string
  /** The amount in centimes. Unless the intent is OPEN, this is the intent's own amount. */
  amount: number
  /** The commission on this amount, which the customer has seen. */
  commission: Commission
}

/** The customer's request. `withinDeadline` limits how long the request waits for MongoDB. */
export interface PaymentRequest {
  cause: Cause | null
  clientIp: string
  withinDeadline: WithinDeadline
}

/**
 * The result of a payment:
 * - `settled`: the outcome is known.
 * - `waiting`: the outcome is not known yet, and the payment still holds the intent.
 * - `not-begun`: the payment was not sent to the wallet. Either the intent cannot be paid, or it is already being paid,
 *   or it belongs to a suspended business, or the customer has submitted the same form before. The caller can read the
 *   intent to find out which of these applies.
 */
export type PaymentResult =
  | { state: 'settled'; outcome: KnownOutcome; intent: Intent }
  | { state: 'waiting' }
  | { state: 'not-begun' }

/**
 * Pays an intent with a wallet, after the customer has entered the PIN (SPEC 3). A first write holds the intent. Then
 * the wallet transfers the money, and a second write ends the payment. If the process dies between the two writes, the
 * hold remains, and a worker queries the wallet for the outcome.
 */
export async function payIntent(
  deps: Pick<Deps, 'Intent' | 'batchers' | 'config' | 'counters' | 'enqueue' | 'log' | 'metrics' | 'now' | 'secrets'>,
  wallet: Wallet,
  intent: Intent,
  confirmation: Confirmation,
  { cause, clientIp, withinDeadline }: PaymentRequest,
): Promise<PaymentResult> {
  const payment = { ...draftHold(deps, wallet, confirmation), clientIp }
  const held = await withinDeadline((deadlineAt) => beginPayment(deps, intent, payment, deadlineAt))
  if (held === null) return { state: 'not-begun' }
  const { phone, pin, amount, commission } = confirmation
  const { id: key, validUntil } = payment
  const { businessId, referenceNumber } = intent
  const requestId = cause?.requestId ?? null
  const fee = commission.payerTtc
  const order = { key, amount, fee, validUntil, businessId, referenceNumber, phone, pin, requestId }
  const suspended = await withinDeadline((deadlineAt) => isSuspended(deps, businessId, deadlineAt))
  const outcome =
    suspended || isTooLate(held, payment, deps.now())
      ? ({ outcome: 'not-executed' } as const)
      : await outcomeOf(deps, wallet.name, () => wallet.authorise(order))
  if (outcome.outcome === 'unknown') {
    const { why } = outcome
    const about = { referenceNumber, businessId, wallet: wallet.name, why, requestId }
    deps.log.warn(about, 'payment.outcome-unknown')
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
 * Returns whether the business is suspended. This check runs after the hold has been written and immediately before the
 * order is sent to the wallet. After a business has been suspended, the only orders that can still reach a wallet are
 * those that passed this check before the suspension. Each of these orders becomes void at its `validUntil`.
 */
async function isSuspended({ batchers }: Pick<Deps, 'batchers'>, id: string, deadlineAt: number): Promise<boolean> {
  const business = await batchers.findBusiness(id, deadlineAt)
  return business === null || business.suspended
}

/**
 * Returns whether writing the hold took too long. This is the case if other processes may already consider the intent
 * expired, or if the order is already void.
 */
const isTooLate = (held: Intent, payment: PaymentHold, now: Date): boolean =>
  !isOpenEverywhere(held, now) || payment.validUntil <= now

function draftHold(
  deps: Pick<Deps, 'config' | 'now' | 'secrets'>,
  wallet: Wallet,
  { paymentId, phone, amount, commission }: Confirmation,
): PaymentHold {
  const startedAt = deps.now()
  const validUntil = orderDeadline(deps.config, startedAt)
  return {
    id: paymentId,
    wallet: wallet.name,
    amount,
    commission,
    payerPhone: maskPhone(phone),
    payerHash: payerHashOf(deps, phone),
    startedAt,
    validUntil,
    queryAt: validUntil,
    writeId: newId(),
  }
}
