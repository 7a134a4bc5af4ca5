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

/** What a customer confirms with their PIN. */
export interface Confirmation {
  /** Made with the form that they send: sent twice, it is one payment. */
  paymentId: string
  /** As `readPhone` and `readPin` answer them. */
  phone: string
  pin: string
  /** Centimes; the intent's own unless it is OPEN. */
  amount: number
}

/** Who waits for a payment: the request of the customer, and its timeouts with MongoDB. */
export interface Payer {
  cause: Cause | null
  withinDeadline: WithinDeadline
}

/**
 * How a confirmation went. `settled`: by its outcome. `waiting`: nobody knows yet; the intent holds until somebody does. `not-begun`: it
 * could not be paid then, is being paid, its business is suspended, or this form was sent before. The intent tells which.
 */
export type Paid =
  | { state: 'settled'; outcome: KnownOutcome; intent: Intent }
  | { state: 'waiting' }
  | { state: 'not-begun' }

/**
 * A customer pays an intent by wallet and PIN (SPEC 3): the intent is held in one write, the wallet moves the money, one write ends it.
 * A process that dies in between leaves the hold, and the wallet is asked what became of it.
 */
export async function payIntent(
  deps: Deps,
  wallet: Wallet,
  intent: Intent,
  confirmation: Confirmation,
  { cause, withinDeadline }: Payer,
): Promise<Paid> {
  const payment = hold(deps, wallet, confirmation)
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
 * Read after the hold and just before the wallet is called. Once a business is suspended, the only orders to a wallet are those that passed
 * this check before, and each is void from its `validUntil` on.
 */
const isSuspended = async (deps: Pick<Deps, 'Business'>, _id: string): Promise<boolean> =>
  (await deps.Business.exists({ _id, suspended: false })) === null

/** MongoDB took its time to hold it: somebody may have read it as expired by now, or the wallet must not carry out the order any more. */
const isTooLate = (held: Intent, payment: PaymentHold, now: Date): boolean =>
  !isOpenEverywhere(held, now) || payment.validUntil <= now

function hold(
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
    askAt: validUntil,
    mark: newId(),
  }
}
