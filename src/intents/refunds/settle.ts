import type { Deps } from '../../deps.ts'
import type { Cause } from '../../outbox/event.ts'
import { wakeRelay } from '../../outbox/wake-relay.ts'
import { newId } from '../../security/ids.ts'
import type { KnownOutcome } from '../../wallets/wallet.ts'
import type { Intent } from '../intent.ts'
import type { PaymentAttempt } from '../payments/payment.ts'
import { transition } from '../transition.ts'
import { pending, releaseRefund } from './hold.ts'
import type { Refund } from './refund-record.ts'

/**
 * Ends a PENDING refund by what became of it at the wallet, in one write: the money went back (REFUNDED, and the event), or nothing
 * changed and what was set aside is free again. Happens once, however often it is called; null when it was not PENDING any more. `cause`: the
 * request that did it; null: a job.
 */
export async function settleRefund(
  deps: Deps,
  intent: Intent,
  refund: Refund,
  outcome: KnownOutcome,
  cause: Cause | null,
): Promise<Intent | null> {
  const settled =
    outcome.outcome === 'done'
      ? await transition(deps, intent, {
          move: 'refund',
          effectId: null,
          cause,
          guard: pending(refund.id),
          lists: { $set: { 'refunds.$.status': 'SUCCEEDED' }, $unset: { 'refunds.$.askAt': 1 } },
          told: { refund },
        })
      : await releaseRefund(deps, intent, refund, attemptOf(deps, intent, refund, outcome))
  if (settled === null) {
    if (outcome.outcome === 'done') await tellIfAstray(deps, intent, refund)
    return null
  }
  wakeRelay(deps, settled)
  const { referenceNumber } = intent
  const requestId = cause?.requestId ?? null
  deps.log.info({ referenceNumber, refundId: refund.id, ...outcome, requestId }, 'refund.settled')
  return settled
}

/** What a refund that was not made leaves in the intent. */
const attemptOf = (
  deps: Pick<Deps, 'now'>,
  { payment }: Intent,
  { id, amount }: Refund,
  outcome: KnownOutcome,
): PaymentAttempt => ({
  kind: 'refund',
  id,
  at: deps.now(),
  amount,
  payerPhone: payment?.payerPhone ?? '',
  outcome: outcome.outcome,
  reason: 'reason' in outcome ? outcome.reason : null,
  mark: newId(),
})

/** Money that the wallet gave back although it had told that it never would: the merchant does not know, so somebody must. */
async function tellIfAstray(deps: Deps, { _id, referenceNumber }: Intent, refund: Refund): Promise<void> {
  const { id: refundId } = refund
  if ((await deps.Intent.exists({ _id, 'refunds.id': refundId })) !== null) return
  deps.log.error({ referenceNumber, refundId }, 'refund.astray')
}
