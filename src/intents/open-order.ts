import type { Deps } from '../deps.ts'
import { noDeadline } from '../mongo/batching/batcher.ts'
import type { Cause } from '../outbox/event.ts'
import type { KnownOutcome, StatusQuery, WalletName } from '../wallets/wallet.ts'
import type { Intent } from './intent.ts'
import type { Payment, PaymentHold } from './payments/payment.ts'
import { createRefusedPins } from './payments/refused-pins.ts'
import { settlePayment } from './payments/settle.ts'
import { pending } from './refunds/hold.ts'
import type { Refund } from './refunds/refund-record.ts'
import { settleRefund } from './refunds/settle.ts'

/**
 * A payment or refund that was sent to a wallet and whose outcome is unknown. `settle` ends the payment or refund.
 * `scheduleQuery` stores the time of the next query to the wallet.
 */
export interface OpenOrder {
  intent: Intent
  wallet: WalletName
  query: StatusQuery
  startedAt: Date
  queryAt: Date
  /** `cause` is the request that queried the wallet, or null if a job queried the wallet. */
  settle(outcome: KnownOutcome, cause: Cause | null): Promise<unknown>
  scheduleQuery(at: Date): Promise<void>
}

export function openPayment(deps: Deps, intent: Intent, payment: PaymentHold): OpenOrder {
  const { id: key, wallet, amount, commission, startedAt, validUntil, queryAt } = payment
  const fee = commission.payerTtc
  return {
    intent,
    wallet,
    query: { kind: 'payment', businessId: intent.businessId, key, amount, fee, validUntil },
    startedAt,
    queryAt,
    async settle(outcome, cause) {
      const settled = await settlePayment(deps, intent, payment, outcome, { cause, deadlineAt: noDeadline })
      if (settled !== null) createRefusedPins(deps).settleLate(payment, intent, outcome)
      return settled
    },
    scheduleQuery: (at) => setQueryAt(deps, intent, { 'hold.id': key }, { 'hold.queryAt': at }),
  }
}

/** `payment` is the payment that is being refunded. */
export function openRefund(deps: Deps, intent: Intent, { wallet }: Pick<Payment, 'wallet'>, refund: Refund): OpenOrder {
  const { id: key, amount, returnedFees, createdAt, validUntil, queryAt } = refund
  const fee = returnedFees.payerTtc
  return {
    intent,
    wallet,
    query: { kind: 'refund', businessId: intent.businessId, key, amount, fee, validUntil },
    startedAt: createdAt,
    queryAt: queryAt ?? validUntil,
    settle: (outcome, cause) => settleRefund(deps, intent, refund, outcome, cause),
    scheduleQuery: (at) => setQueryAt(deps, intent, pending(key), { 'refunds.$.queryAt': at }),
  }
}

async function setQueryAt(
  deps: Pick<Deps, 'Intent'>,
  { businessId, sandbox, _id }: Intent,
  whileOpen: Record<string, unknown>,
  $set: Record<string, Date>,
): Promise<void> {
  await deps.Intent.updateOne({ businessId, sandbox, _id, ...whileOpen }, { $set })
}

/** Returns the payment or refund with this key if it has not ended yet. Otherwise, returns null. */
export function findOpen(deps: Deps, intent: Intent, key: string): OpenOrder | null {
  const { hold, payment, refunds } = intent
  if (hold?.id === key) return openPayment(deps, intent, hold)
  const refund = refunds.find(({ id, status }) => id === key && status === 'PENDING')
  return refund === undefined || payment === null ? null : openRefund(deps, intent, payment, refund)
}
