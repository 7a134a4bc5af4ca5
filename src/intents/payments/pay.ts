import type { WithinDeadline } from '../../idempotency/request.ts'
import { maskPhone } from '../../input/phone.ts'
import type { Deps } from '../../platform/deps.ts'
import { newId } from '../../platform/ids.ts'
import type { CausingRequest } from '../../tracing/tracing.ts'
import type { Commission } from '../../wallets/commission.ts'
import { callWallet, type KnownWalletOutcome, orderDeadline, type Wallet } from '../../wallets/wallet.ts'
import type { IntentWithoutRefunds } from '../intent.ts'
import { isSurelyUnexpired } from '../lifecycle.ts'
import { leaveOrderToWorkers, unsettledPayment } from '../query-wallets.ts'
import { type PaymentHold, payerHashOf } from '../records.ts'
import type { SettleDeps } from '../transition.ts'
import { beginPayment, settlePayment } from './begin-and-settle.ts'

export interface ConfirmedPayment {
  /** Generated with the form, so that submitting it twice pays only once. */
  paymentId: string
  phone: string
  pin: string
  /** In centimes. Can differ from the intent's amount only if it's OPEN. */
  amount: number
  commission: Commission
}

export interface PaymentContext {
  cause: CausingRequest | null
  clientIp: string
  withinDeadline: WithinDeadline
}

/**
 * `waiting`: the payment holds the intent and has no outcome yet.
 * `not-begun`: we sent no order to the wallet.
 */
export type PaymentResult =
  | { state: 'settled'; outcome: KnownWalletOutcome; intent: IntentWithoutRefunds }
  | { state: 'waiting' }
  | { state: 'not-begun' }

/** SPEC 3. If this process dies, a worker queries the wallet. */
export async function payIntent(
  deps: SettleDeps & Pick<Deps, 'config' | 'counters' | 'secrets'>,
  wallet: Wallet,
  intent: IntentWithoutRefunds,
  confirmation: ConfirmedPayment,
  { cause, clientIp, withinDeadline }: PaymentContext,
): Promise<PaymentResult> {
  const payment = { ...draftHold(deps, wallet, confirmation), clientIp }
  const held = await withinDeadline((deadlineAt) => beginPayment(deps, intent, payment, deadlineAt))
  if (held === null) return { state: 'not-begun' }
  const { phone, pin } = confirmation
  const { businessId, referenceNumber } = intent
  const requestId = cause?.requestId ?? null
  const open = unsettledPayment(deps, held, payment)
  const order = { ...open.query, referenceNumber, phone, pin, requestId }
  const suspended = await withinDeadline((deadlineAt) => isSuspended(deps, businessId, deadlineAt))
  const outcome =
    suspended || isTooLate(held, payment, deps.now())
      ? ({ outcome: 'not-executed' } as const)
      : await callWallet(deps, wallet.name, () => wallet.authorise(order))
  if (outcome.outcome === 'unknown') {
    await leaveOrderToWorkers(deps, open, { why: outcome.why, requestId }, withinDeadline)
    return { state: 'waiting' }
  }
  const settled = await withinDeadline((deadlineAt) =>
    settlePayment(deps, held, payment, outcome, { cause, deadlineAt }),
  )
  if (settled === null) return { state: 'waiting' }
  return suspended ? { state: 'not-begun' } : { state: 'settled', outcome, intent: settled }
}

/** Check this right before sending the order. */
async function isSuspended({ batchers }: Pick<Deps, 'batchers'>, id: string, deadlineAt: number) {
  const business = await batchers.findBusiness(id, deadlineAt)
  return business === null || business.suspended
}

const isTooLate = (held: IntentWithoutRefunds, payment: PaymentHold, now: Date): boolean =>
  !isSurelyUnexpired(held, now) || payment.validUntil <= now

function draftHold(
  deps: Pick<Deps, 'config' | 'now' | 'secrets'>,
  wallet: Wallet,
  { paymentId, phone, amount, commission }: ConfirmedPayment,
): PaymentHold {
  const startedAt = deps.now()
  const validUntil = orderDeadline(deps.config, startedAt)
  const payer = { payerPhone: maskPhone(phone), payerHash: payerHashOf(deps, phone) }
  const order = { id: paymentId, wallet: wallet.name, amount, commission, ...payer }
  return { ...order, startedAt, validUntil, queryAt: validUntil, writeId: newId() }
}
