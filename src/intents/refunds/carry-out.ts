import { setTimeout as pause } from 'node:timers/promises'
import type { Caller } from '../../businesses/caller.ts'
import { refuseInProgress, type ThirdPartyStep } from '../../idempotency/request.ts'
import type { Deps } from '../../platform/deps.ts'
import { type Refusal, refuse } from '../../platform/errors.ts'
import type { CausingRequest } from '../../tracing/tracing.ts'
import { callWallet, type Wallet } from '../../wallets/wallet.ts'
import { findIntent, type IntentChangeDeps } from '../find.ts'
import type { Intent, IntentWithoutRefunds } from '../intent.ts'
import { presentIntent, presentRefund } from '../present.ts'
import {
  findUnsettledOrder,
  leaveOrderToWorkers,
  queryOrderOutcome,
  unsettledRefund,
} from '../query-wallets.ts'
import type { Payment, Refund } from '../records.ts'

interface StartedRefund {
  intent: IntentWithoutRefunds
  payment: Payment
  wallet: Wallet
  refund: Refund
  cause: CausingRequest | null
}

export const carryOutRefund =
  (
    deps: Omit<IntentChangeDeps, 'capacity' | 'counters' | 'wallets'>,
    caller: Caller,
    started: StartedRefund,
  ): ThirdPartyStep =>
  async (withinDeadline) => {
    const { intent, payment, wallet, refund, cause } = started
    const requestId = cause?.requestId ?? null
    const open = unsettledRefund(deps, intent, payment, refund)
    const order = { ...open.query, paymentKey: payment.key, requestId }
    const outcome = await callWallet(deps, wallet.name, () => wallet.refund(order))
    if (outcome.outcome === 'unknown') {
      await leaveOrderToWorkers(deps, open, { why: outcome.why, requestId }, withinDeadline)
      return outcomeUnknown()
    }
    await withinDeadline(() => open.settle(outcome, cause))
    const { referenceNumber } = intent
    const after = await withinDeadline((deadlineAt) => findIntent(deps, caller, referenceNumber, deadlineAt))
    return responseOf(deps, after, refund.id) ?? outcomeUnknown()
  }

const maxWaitMs = 10_000
const lookEveryMs = 250

/** May query the wallet, but never repeats the order. */
export const awaitEarlierRefund =
  (
    deps: IntentChangeDeps,
    caller: Caller,
    { referenceNumber }: Intent,
    refundId: string,
    cause: CausingRequest | null,
  ): ThirdPartyStep =>
  async (withinDeadline) => {
    const read = () => withinDeadline((deadlineAt) => findIntent(deps, caller, referenceNumber, deadlineAt))
    const endsAt = performance.now() + maxWaitMs
    let held: ReturnType<typeof deps.capacity.takeNow> = null
    try {
      for (;;) {
        let intent = await read()
        const open = findUnsettledOrder(deps, intent, refundId)
        if (open !== null && open.queryAt <= deps.now()) {
          const { outcome } = await queryOrderOutcome(deps, open, cause, withinDeadline)
          if (outcome === 'unknown') return outcomeUnknown()
          intent = await read()
        }
        const response = responseOf(deps, intent, refundId)
        if (response !== null) return response
        held ??= deps.capacity.takeNow([caller.businessId], { twins: 1 })
        if (held === null || performance.now() > endsAt) return refuseInProgress()
        await pause(lookEveryMs)
      }
    } finally {
      held?.free()
    }
  }

function responseOf(
  deps: Pick<Deps, 'config' | 'now'>,
  intent: Intent,
  refundId: string,
): Record<string, unknown> | Refusal | null {
  const refund = intent.refunds.find(({ id }) => id === refundId)
  if (refund === undefined) return refuse('REFUND_FAILED')
  if (refund.status === 'PENDING') return null
  return { ...presentIntent(deps.config, intent, deps.now()), refund: presentRefund(refund) }
}

const outcomeUnknown = (): Refusal =>
  refuse('SERVICE_UNAVAILABLE', {
    retryAfterSeconds: 2,
    message:
      'The outcome of the refund is not known yet. Repeat the request with the same idempotency key within 24 hours.',
  })
